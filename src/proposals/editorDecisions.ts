import * as vscode from 'vscode';
import { DiffPresence } from './diffPresence.ts';
import { isSame } from '../editor/documents.ts';
import { onDidSaveByHand } from './handSaves.ts';
import type { Proposal } from './proposal.ts';
import { proposedSides, tabsOf } from './proposalTabs.ts';
import { setting } from '../editor/settings.ts';

/** Those that wait, as far as the editor decides them. */
interface Waiting {
  /** The one in front. */
  readonly active: Proposal | undefined;
  find(uri: vscode.Uri): Proposal | undefined;
  accept(uri: vscode.Uri): Promise<void>;
  reject(uri: vscode.Uri): Promise<void>;
}

/** ms in which a tab that moves to another group or window, and for that is closed, has opened again. */
const moveTime = 100;

/**
 * What the user does to the diff itself is a decision, too: closing its tab rejects, saving it by hand accepts. A save
 * counts only if the user is in that diff: one that is meant for another file may come while a diff is in front.
 */
export class EditorDecisions implements vscode.Disposable {
  private readonly presence: DiffPresence;
  private readonly subscriptions: vscode.Disposable;
  /** The one whose own key has just been pressed. */
  private saving: vscode.Uri | undefined;

  constructor(private readonly proposals: Waiting) {
    this.presence = new DiffPresence(() => proposals.active);
    this.subscriptions = vscode.Disposable.from(
      this.presence,
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) =>
        closed.flatMap(proposedSides).forEach((uri) => this.closed(uri)),
      ),
      onDidSaveByHand(
        (uri) => isSame(this.saving, uri) || this.isIn(uri),
        (uri) => {
          if (setting('diff.acceptOnSave')) {
            void proposals.accept(uri);
          }
        },
      ),
    );
  }

  /** For the diff that has the focus, once for each key. @returns whether the key was meant for it */
  takesKey(): boolean {
    return this.presence.takesKey();
  }

  /** The last sign of the user was in it. */
  isIn(uri: vscode.Uri): boolean {
    return this.presence.isIn(uri);
  }

  /** Saves, and so accepts, the diff that has the focus. */
  async save(uri: vscode.Uri): Promise<void> {
    this.saving = uri;
    try {
      await vscode.commands.executeCommand('workbench.action.files.save');
    } finally {
      this.saving = undefined;
    }
  }

  /** Saves what is in front, and accepts nothing: the focus is elsewhere. */
  async saveFromElsewhere(): Promise<void> {
    this.presence.leave();
    await vscode.commands.executeCommand('workbench.action.files.save');
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private closed(uri: vscode.Uri): void {
    if (this.proposals.find(uri)) {
      setTimeout(() => {
        if (tabsOf(uri).length === 0) {
          void this.proposals.reject(uri);
        }
      }, moveTime);
    }
  }
}
