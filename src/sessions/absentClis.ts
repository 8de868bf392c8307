import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Bridge } from '../server/bridge.ts';
import type { SessionTerminals } from './sessionTerminals.ts';

/** A CLI that was connected before the window was reloaded, or the extension was off. */
export interface AbsentCli {
  readonly pid: number;
  readonly label: string;
  /** What is to be expected of it, or done. */
  readonly text: string;
  /** In which it runs, once it has given up; until then it comes back by itself. */
  readonly terminal?: vscode.Terminal;
}

/** Those that are to come back, and those in terminals of this window that have not, and have to be told to. */
export class AbsentClis implements Disposable {
  all: readonly AbsentCli[] = [];
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<void>());

  readonly onDidChange = this.changed.event;

  constructor(bridge: Bridge, sessionTerminals: SessionTerminals) {
    // Before the bridge listens, as in Restricted Mode, there is nothing to come back to.
    const start = this.store.add(
      bridge.onDidChangeState(({ kind }) => {
        if (kind === 'listening') {
          start.dispose();
          if (sessionTerminals.absent.length > 0) {
            void this.follow(bridge, sessionTerminals);
          }
        }
      }),
    );
  }

  dispose(): void {
    this.store.dispose();
  }

  private async follow(bridge: Bridge, sessionTerminals: SessionTerminals): Promise<void> {
    const { AbsentLook } = await import('./absentLook.ts');
    const tell = (clis: readonly AbsentCli[]) => {
      this.all = clis;
      this.changed.fire();
    };
    this.store.add(new AbsentLook(bridge, sessionTerminals, tell));
  }
}
