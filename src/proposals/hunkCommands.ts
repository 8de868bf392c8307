import * as vscode from 'vscode';
import { isSame } from '../editor/documents.ts';
import type { Hunks, ProposalHunk } from './hunks.ts';
import type { Proposal } from './proposal.ts';
import type { Proposals } from './proposals.ts';

/** What can be done with a hunk: the one whose lens was clicked, or the one at the cursor. */
export class HunkCommands {
  constructor(
    private readonly proposals: Proposals,
    private readonly hunks: Hunks,
  ) {}

  /** To the next hunk, or the previous one; from the last to the first. */
  async go(step: 1 | -1): Promise<void> {
    const proposal = this.proposals.active;
    const editor = proposal && editorOf(proposal);
    const hunks = proposal ? await this.hunks.of(proposal) : [];
    if (!editor || hunks.length === 0) {
      sayThatThereIsNone();
      return;
    }
    const { line } = editor.selection.active;
    const target =
      step > 0
        ? (hunks.find((hunk) => hunk.line > line) ?? hunks[0])
        : (hunks.findLast((hunk) => hunk.line < line) ?? hunks.at(-1));
    await moveTo(editor, target);
  }

  /** By key it goes on to the next one that is not decided. */
  async keep(uri: unknown, line: unknown): Promise<void> {
    await this.decide(uri, line, (proposal, hunk) => this.hunks.keep(proposal, hunk));
  }

  async drop(uri: unknown, line: unknown): Promise<void> {
    await this.decide(uri, line, async (proposal, hunk) => {
      if (!(await this.hunks.drop(proposal, hunk))) {
        void vscode.window.showErrorMessage('The editor does not let this proposal be edited.');
      }
    });
  }

  private async decide(
    uri: unknown,
    line: unknown,
    act: (proposal: Proposal, hunk: ProposalHunk) => Promise<void>,
  ): Promise<void> {
    const byLens = uri instanceof vscode.Uri && typeof line === 'number';
    const proposal = byLens ? this.proposals.find(uri) : this.proposals.active;
    const editor = proposal && editorOf(proposal);
    const atLine = byLens ? line : editor?.selection.active.line;
    const hunk = proposal && atLine !== undefined ? await this.hunks.at(proposal, atLine) : undefined;
    if (!proposal || !hunk) {
      sayThatThereIsNone();
      return;
    }
    await act(proposal, hunk);
    if (!byLens && editor) {
      const undecided = (await this.hunks.of(proposal)).filter(({ isKept }) => !isKept);
      await moveTo(editor, undecided.find((next) => next.line >= hunk.line) ?? undecided[0]);
    }
  }
}

function editorOf({ uri }: Proposal): vscode.TextEditor | undefined {
  const isIt = (editor: vscode.TextEditor) => isSame(editor.document.uri, uri);
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return activeTextEditor && isIt(activeTextEditor) ? activeTextEditor : visibleTextEditors.find(isIt);
}

async function moveTo(editor: vscode.TextEditor, hunk: ProposalHunk | undefined): Promise<void> {
  if (!hunk) {
    return;
  }
  if (editor !== vscode.window.activeTextEditor) {
    await vscode.commands.executeCommand('workbench.action.compareEditor.focusPrimarySide');
  }
  editor.selection = new vscode.Selection(hunk.line, 0, hunk.line, 0);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function sayThatThereIsNone(): void {
  void vscode.window.showInformationMessage('There is no proposed change at the cursor.');
}
