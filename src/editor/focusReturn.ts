import * as vscode from 'vscode';
import type { Session } from '../server/session.ts';
import { fileUriOf } from './cells.ts';
import type { Proposals } from './proposals.ts';
import { proposedSides } from './proposalTabs.ts';
import { setting } from './settings.ts';
import { contentOf, tabsWith } from './tabContent.ts';

interface Terminals {
  terminalOf(session: Session): vscode.Terminal | undefined;
}

type Place = { kind: 'terminal'; terminal: vscode.Terminal } | { kind: 'editor'; uri: vscode.Uri };

/**
 * Brings the user back, after a decision, to where they were before a diff drew them away. VS Code does not tell
 * what has the focus, so the last place counts that showed a sign of the user: a prompt from a terminal, a
 * terminal that was shown, a key or a click in an editor.
 */
export class FocusReturn implements vscode.Disposable {
  private place: Place | undefined;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly proposals: Proposals,
    terminals: Terminals,
  ) {
    this.subscriptions = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTerminal((terminal) => this.seenIn(terminal)),
      proposals.onDidPrompt((session) => this.seenIn(terminals.terminalOf(session))),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
        const isByUser = kind !== undefined && kind !== vscode.TextEditorSelectionChangeKind.Command;
        // The left side of a diff of ours is an ordinary file.
        if (isByUser && tab && proposedSides(tab).length === 0) {
          this.place = { kind: 'editor', uri: textEditor.document.uri };
        }
      }),
      proposals.onDidDecide(({ wasInFront }) => {
        if (wasInFront && setting('diff.returnFocus')) {
          void this.goBack();
        }
      }),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private seenIn(terminal: vscode.Terminal | undefined): void {
    if (terminal) {
      this.place = { kind: 'terminal', terminal };
    }
  }

  private async goBack(): Promise<void> {
    if (this.proposals.active) {
      return; // the next one to decide
    }
    switch (this.place?.kind) {
      case undefined:
        return;
      case 'terminal':
        if (this.place.terminal.exitStatus === undefined) {
          this.place.terminal.show();
        }
        return;
      case 'editor': {
        const tab = tabsWith(fileUriOf(this.place.uri)).find(({ input }) => !contentOf(input)?.original);
        if (tab) {
          const { viewColumn } = tab.group;
          await vscode.commands.executeCommand('vscode.open', this.place.uri, { viewColumn });
        }
      }
    }
  }
}
