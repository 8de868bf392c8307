import * as vscode from 'vscode';
import { Queue } from '../base/queue.ts';
import { isSame, linesBetween } from '../editor/documents.ts';
import { moveCursor } from '../editor/moveCursor.ts';
import { replacement } from '../editor/replacement.ts';
import { type Hunks, open, type ProposalHunk } from './hunks.ts';
import type { Proposal } from './proposal.ts';
import type { Proposals } from './proposals.ts';

const noneAtCursor = 'There is no proposed change at the cursor.';

/** ms in which nobody has seen yet that a change could not be decided. */
const unseenTime = 1_000;

/**
 * What can be done with the hunks of a proposal: with one at a line, or with the one at the cursor. One after the other,
 * as each depends on what the one before has left, and keys may come faster.
 */
export class HunkCommands {
  private readonly queue = new Queue();
  private failedAt = -unseenTime;

  constructor(
    private readonly hunks: Hunks,
    private readonly proposals: Pick<Proposals, 'find' | 'reject'>,
  ) {}

  /** To the next hunk, or the previous one; from the last to the first. */
  go(proposal: Proposal, step: 1 | -1): Promise<void> {
    return this.queue.run(async () => {
      const editor = editorOf(proposal);
      const hunks = await this.hunks.of(proposal);
      if (!editor || hunks.length === 0) {
        return this.fail(noneAtCursor);
      }
      const { line } = editor.selection.active;
      const target =
        step > 0
          ? (hunks.find((hunk) => hunk.line > line) ?? hunks[0])
          : (hunks.findLast((hunk) => hunk.line < line) ?? hunks.at(-1));
      await moveTo(editor, target);
    });
  }

  keep(proposal: Proposal, line?: number): Promise<void> {
    return this.decide(proposal, line, (hunk) => this.hunks.keep(proposal, hunk));
  }

  /** The last that is left goes with the proposal, which would change nothing any more. */
  drop(proposal: Proposal, line?: number): Promise<void> {
    return this.decide(proposal, line, async (hunk) => {
      if ((await this.hunks.of(proposal)).length === 1) {
        say(`Rejected: every change in ${proposal.fileName} is dropped.`);
        await this.proposals.reject(proposal.uri);
      } else if (!(await putBack(proposal, hunk))) {
        this.fail('The editor does not let this proposal be edited.');
      }
    });
  }

  /** @returns when all that was asked before has had its turn: whether it was done, as far as the user can know */
  done(): Promise<boolean> {
    return this.queue.run(() => Promise.resolve(!this.hasJustFailed()));
  }

  /** What is asked within a moment after was meant for what would be there otherwise. */
  private hasJustFailed(): boolean {
    const hasFailed = performance.now() - this.failedAt < unseenTime;
    if (hasFailed) {
      say('Not done: the change before could not be decided. Look at it, then try again.');
    }
    return hasFailed;
  }

  private fail(words: string): void {
    this.failedAt = performance.now();
    void vscode.window.showInformationMessage(words);
  }

  /** At the cursor it goes on to the next one that is not decided. */
  private decide(
    proposal: Proposal,
    line: number | undefined,
    act: (hunk: ProposalHunk) => Promise<void>,
  ): Promise<void> {
    return this.queue.run(async () => {
      const editor = line === undefined ? editorOf(proposal) : undefined;
      const atLine = line ?? editor?.selection.active.line;
      const hunk = atLine === undefined ? undefined : await this.hunks.at(proposal, atLine);
      if (this.hasJustFailed()) {
        return;
      }
      if (!hunk) {
        return this.fail(noneAtCursor);
      }
      await act(hunk);
      if (editor && this.proposals.find(proposal.uri)) {
        await this.goOn(proposal, editor, hunk);
      }
    });
  }

  private async goOn(proposal: Proposal, editor: vscode.TextEditor, from: ProposalHunk): Promise<void> {
    const undecided = (await this.hunks.of(proposal)).filter(({ isKept }) => !isKept);
    const next = undecided.find(({ line }) => line >= from.line) ?? undecided[0];
    if (next) {
      await moveTo(editor, next);
    } else {
      say(`Each change in ${proposal.fileName} is decided: accept the file when it is as you want it.`);
    }
  }
}

/** Puts the lines of the original back, as an edit that can be undone. @returns whether the editor took it */
export async function putBack(proposal: Proposal, hunk: ProposalHunk): Promise<boolean> {
  const [before, now] = await Promise.all([open(proposal.original), open(proposal.uri)]);
  if (!now) {
    return false;
  }
  const edit = new vscode.WorkspaceEdit();
  const { beforeStart, beforeEnd } = hunk;
  const lines = before ? linesBetween(before, beforeStart, beforeEnd) : [''].slice(beforeStart, beforeEnd);
  const { range, text } = replacement(now, hunk, lines);
  edit.replace(proposal.uri, range, text);
  const [from, start, end] = [now.getText(), now.offsetAt(range.start), now.offsetAt(range.end)];
  const isDone = await vscode.workspace.applyEdit(edit);
  // Not as it is by now: the user may have typed meanwhile.
  proposal.follow(from, from.slice(0, start) + text + from.slice(end));
  return isDone;
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
  await moveCursor(editor, hunk.line);
}

function say(words: string): void {
  vscode.window.setStatusBarMessage(words, 5_000);
}
