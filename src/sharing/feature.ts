import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { publishActiveEditor } from '../context/activeEditorChanged.ts';
import { publishSelection } from '../context/selectionChanged.ts';
import type { Reports } from '../editor/reports.ts';
import { setting } from '../editor/settings.ts';
import { isInWorkspace } from '../editor/workspaceFolders.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Git } from '../server/git.ts';
import { GitIgnored } from './gitIgnored.ts';
import { LastShared } from './lastShared.ts';
import { Selections } from './selections.ts';
import { Sharing } from './sharing.ts';
import { SharingStatus } from './sharingStatus.ts';
import { watchIgnoreRules } from './watchIgnoreRules.ts';

/** What clients are told of the window without a question, and what is kept from them. */
export class SharingFeature implements Disposable {
  readonly sharing: Sharing;
  readonly selections: Selections;
  private readonly lastShared: LastShared;
  private readonly store = new DisposableStore();

  constructor(
    bridge: Bridge,
    git: Git,
    workspaceState: vscode.Memento,
    private readonly reports: Reports,
  ) {
    const { store } = this;
    const gitIgnored = store.add(new GitIgnored(git, isInWorkspace));
    store.add(watchIgnoreRules(gitIgnored));
    this.sharing = store.add(new Sharing(gitIgnored, workspaceState));
    this.selections = store.add(new Selections(this.sharing));
    this.lastShared = store.add(new LastShared(bridge, this.sharing));
    store.add(new SharingStatus(this.sharing));
    store.add(publishSelection(this.selections, bridge, () => setting('share.selectionWithEachPrompt')));
    store.add(publishActiveEditor(this.selections.onDidChangeActiveEditor, bridge));
  }

  commands() {
    return {
      chooseSharing: async () => (await import('./chooseSharing.ts')).chooseSharing(this.sharing),
      showShared: () => this.reports.show('What Is Shared Now.md', this.lastShared.report()),
    };
  }

  dispose(): void {
    this.store.dispose();
  }
}
