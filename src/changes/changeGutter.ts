import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import type { Changes } from './changes.ts';
import { pastUri } from './beforeFiles.ts';
import { gitReady } from './gitReady.ts';
import { onDidChangeSetting, setting } from '../editor/settings.ts';

/**
 * Marks of an agent's lines in the editor's gutter. The stable API gives them to source controls only, so there is
 * one while there is something to mark: it lists the files, without adding to the count of the others.
 */
export class ChangeGutter implements vscode.QuickDiffProvider, Disposable {
  private readonly update = new Throttle(100, () => this.show());
  private readonly subscription: Disposable;
  private isReady = false;
  private isDisposed = false;
  private sourceControl: vscode.SourceControl | undefined;
  /** What the marks were made from; they are asked for once per source control and file only. */
  private shown = '';

  /**
   * @param openChange the command that shows what was done to the file of a URI
   * @param ready until then there is none: the first source control of a window has the status bar, where Git's branch is
   */
  constructor(
    private readonly changes: Changes,
    private readonly openChange: string,
    ready = gitReady(),
  ) {
    void ready.then(() => {
      this.isReady = !this.isDisposed;
      this.update.schedule();
    });
    this.subscription = vscode.Disposable.from(
      changes.onDidChange(() => this.update.schedule()),
      onDidChangeSetting('changes.gutter', () => this.update.schedule()),
    );
  }

  /** Of several sessions, against the one that changed the file first. */
  provideOriginalResource({ scheme, fsPath }: vscode.Uri): vscode.Uri | undefined {
    const change = scheme === 'file' ? this.changes.ofPath(fsPath)[0] : undefined;
    return change && pastUri(change.snapshot.path, change.snapshot);
  }

  dispose(): void {
    this.isDisposed = true;
    this.subscription.dispose();
    this.update.dispose();
    this.sourceControl?.dispose();
  }

  private show(): void {
    const marked = this.isReady && setting('changes.gutter') ? this.changes.all : [];
    const key = marked
      .map(({ set, snapshot }) => `${set.id}:${snapshot.takenAt}:${snapshot.hash}:${snapshot.path}`)
      .join('\n');
    if (key === this.shown) {
      return;
    }
    this.shown = key;
    this.sourceControl?.dispose();
    this.sourceControl = undefined;
    if (marked.length > 0) {
      const control = vscode.scm.createSourceControl('ideBridge', 'Agent Changes');
      control.inputBox.visible = false;
      control.quickDiffProvider = this;
      control.count = 0;
      const group = control.createResourceGroup('files', 'Changed by Agents');
      group.resourceStates = [...new Set(marked.map(({ snapshot }) => snapshot.path))].map((path) => {
        const resourceUri = vscode.Uri.file(path);
        const command = { command: this.openChange, title: 'Open Change', arguments: [resourceUri] };
        return { resourceUri, command };
      });
      this.sourceControl = control;
    }
  }
}
