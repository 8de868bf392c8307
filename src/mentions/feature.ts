import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Bridge } from '../server/bridge.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import type { SharingFeature } from '../sharing/feature.ts';
import { mentionFiles, mentionSelection } from './mentionCommands.ts';
import { Mentions } from './mentions.ts';
import { registerProblemActions } from './problemActions.ts';

/** What the user points a session to. */
export class MentionsFeature implements Disposable {
  readonly mentions: Mentions;
  private readonly store = new DisposableStore();

  constructor(
    bridge: Bridge,
    private readonly sharing: SharingFeature,
    private readonly sessionTerminals: SessionTerminals,
    workspaceState: vscode.Memento,
  ) {
    this.mentions = this.store.add(new Mentions(bridge, workspaceState));
    this.store.add(registerProblemActions());
  }

  commands() {
    const { mentions, sessionTerminals } = this;
    const { sharing, selections } = this.sharing;
    const dependencies = { mentions, selections, sessionTerminals, sharing };
    return {
      mention: () => mentionSelection(dependencies),
      mentionFiles: (...args: unknown[]) => mentionFiles(dependencies, args),
    };
  }

  dispose(): void {
    this.store.dispose();
  }
}
