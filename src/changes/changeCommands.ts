import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { Change, Changes } from './changes.ts';
import type { ChangeReview } from './changeReview.ts';
import type { ChangeSet } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import { changesInFront, openAllChanges, openChange, openDecided } from './changeDiffs.ts';
import type { ChangesNode, ChangesView } from './changesView.ts';
import type { HistoryEntry, HistoryFile } from './history.ts';
import { decisionTitle } from './historyItems.ts';
import { onRow } from '../editor/commandIds.ts';
import { withoutIcons } from '../editor/plainLabel.ts';

/** What the commands act on. */
export interface Reviewing {
  readonly sets: ChangeSets;
  readonly changes: Changes;
  readonly review: ChangeReview;
  undo(decision: string): Promise<string[]>;
}

/** What was done to files after the fact: look at it, take it back, keep it. */
export function changeCommands(reviewing: Reviewing, view: Pick<ChangesView, 'refuseClick' | 'focusedRow'>) {
  const { sets, review, changes } = reviewing;
  const decide = (act: (argument: unknown) => unknown) => (argument: unknown) =>
    isNode(argument) && view.refuseClick(argument) ? undefined : act(argument);
  /** From the title of a review, those that it shows. */
  const all = (argument: unknown) =>
    argument instanceof vscode.Uri ? changesInFront(changes.all) : changes.all;
  const told = (decision: string) => offerUndo(reviewing, decision);
  const revertSession = decide((node) =>
    isNode(node) ? revert(reviewing, changesOf(node, changes)) : sayNothingChanged(),
  );
  const keepSession = decide((node) =>
    isNode(node) ? told(review.keep(setOf(node).snapshots.keys())) : sayNothingChanged(),
  );
  /** Also by a key on a row, which may be that of a session. */
  const orOnRow =
    (ofFile: (argument: unknown) => unknown, ofSession: (node: ChangesNode) => unknown) =>
    async (argument: unknown) => {
      const row = argument === onRow ? await view.focusedRow() : undefined;
      if (argument !== onRow || row?.kind === 'file') {
        await ofFile(row ?? argument);
      } else if (row?.kind === 'session') {
        await ofSession(row);
      }
    };
  return {
    reviewChanges: (node: unknown) => {
      const chosen = isNode(node) ? changesOf(node, changes) : changes.all;
      const title = isNode(node) ? `Changes by ${setOf(node).label}` : 'Changes by Agents';
      return chosen.length > 0 ? openAllChanges(chosen, title) : sayNothingChanged();
    },
    openChange: (argument: unknown) => {
      const file = isNode(argument) ? decidedFile(argument) : undefined;
      return file
        ? openDecided(file.entry, file.file)
        : withChange(argument, changes, (change) => openChange(change));
    },
    revertHunk: (_uri: unknown, lineChanges: unknown, index: unknown) =>
      withChange(undefined, changes, (change) => revertHunkOf(change, lineChanges, index)),
    revertFile: orOnRow(
      decide((argument) => withChange(argument, changes, (change) => revert(reviewing, [change]))),
      revertSession,
    ),
    revertSession,
    keepFile: orOnRow(
      decide((argument) =>
        withChange(argument, changes, ({ snapshot }) => told(review.keep([snapshot.path]))),
      ),
      keepSession,
    ),
    keepSession,
    keepAllChanges: (argument: unknown) =>
      told(
        argument instanceof vscode.Uri
          ? review.keep(all(argument).map(({ snapshot }) => snapshot.path))
          : review.keepAll(),
      ),
    revertAllChanges: (argument: unknown) => {
      const chosen = all(argument);
      return chosen.length > 0 ? revert(reviewing, chosen) : sayNothingChanged();
    },
    undoDecision: decide((node) =>
      isNode(node) && 'entry' in node ? undo(reviewing, node.entry.id) : undefined,
    ),
    clearChangeHistory: decide((node) =>
      sets.forgetHistory((_file, entry) => !isNode(node) || entry.sets.includes(setOf(node).id)),
    ),
  };
}

function isNode(value: unknown): value is ChangesNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function setOf(node: ChangesNode): ChangeSet {
  return 'set' in node ? node.set : node.change.set;
}

/** The one file of a row of the history. */
function decidedFile(node: ChangesNode): { entry: HistoryEntry; file: HistoryFile } | undefined {
  const file =
    node.kind === 'decidedFile' ? node.file : node.kind === 'decision' ? node.entry.files[0] : undefined;
  return file && 'entry' in node ? { entry: node.entry, file } : undefined;
}

function changesOf(node: ChangesNode, changes: Changes): Change[] {
  return changes.ofSet(setOf(node));
}

/** Acts on a file of the view, or on a URI as menus pass it; from the palette or a key, on the active editor. */
async function withChange(
  argument: unknown,
  changes: Changes,
  act: (change: Change) => unknown,
): Promise<void> {
  if (isNode(argument) && argument.kind === 'file') {
    await act(argument.change);
    return;
  }
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  const found = uri ? changes.ofPath(uri.with({ scheme: 'file', query: '' }).fsPath) : [];
  const change = found.length > 1 ? await pick(found) : found[0];
  if (change) {
    await act(change);
  } else if (found.length === 0) {
    sayNothingChanged();
  }
}

async function pick(found: readonly Change[]): Promise<Change | undefined> {
  const items = found.map((change) => ({ label: withoutIcons(change.set.label), change }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Several sessions changed this file' });
  return picked?.change;
}

async function revert(reviewing: Reviewing, chosen: readonly Change[]): Promise<void> {
  const { review, changes } = reviewing;
  const { confirmRevert, takenAlong } = await import('./confirmRevert.ts');
  const decision = randomUUID();
  if (!(await confirmRevert(chosen, review))) {
    return;
  }
  const note = takenAlong(chosen, review); // as long as it is there
  const problems: string[] = [];
  // The newest first: two of them may be one file, by a link or in another case.
  for (const change of [...chosen].reverse().sort((a, b) => b.snapshot.takenAt - a.snapshot.takenAt)) {
    try {
      await review.revert(change, decision);
    } catch (error) {
      problems.push(printable(`${basename(change.snapshot.path)}: ${errorMessage(error)}`, 1_000));
    }
  }
  await changes.refresh(new Set(chosen.map(({ snapshot }) => snapshot.path)));
  if (problems.length > 0) {
    void vscode.window.showErrorMessage(`Not everything could be reverted. ${problems.join(' ')}`);
  }
  offerUndo(reviewing, decision, note);
}

/** Says what was done, if anything was, and what else there is to know of it. */
function offerUndo(reviewing: Reviewing, decision: string, note = ''): void {
  const entry = reviewing.sets.history.find(decision);
  if (entry) {
    const button = 'Undo';
    void vscode.window
      .showInformationMessage(
        [decisionTitle(entry), note]
          .filter(Boolean)
          .map((words) => `${printable(words, 1_000)}.`)
          .join(' '),
        button,
      )
      .then((choice) => (choice === button ? undo(reviewing, decision) : undefined));
  }
}

async function undo(reviewing: Reviewing, decision: string): Promise<void> {
  const paths = reviewing.sets.history.find(decision)?.files.map(({ path }) => path);
  try {
    const problems = await reviewing.undo(decision);
    if (problems.length > 0) {
      const words = problems.map((problem) => printable(problem, 1_000)).join(' ');
      void vscode.window.showErrorMessage(`Not everything could be undone. ${words}`);
    }
  } catch (error) {
    void vscode.window.showInformationMessage(errorMessage(error));
  }
  await reviewing.changes.refresh(new Set(paths));
}

/** What the gutter passes; of a deletion, the 1-based line before it. */
const lineChangesSchema = z.array(z.object({ modifiedStartLineNumber: z.number() }));

/** At the cursor, or, from the editor's gutter, the hunk that it names (1-based lines). */
async function revertHunkOf(change: Change, lineChanges: unknown, index: unknown): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const uri = editor?.document.uri;
  // Not in a proposal for that file, nor in a cell of that notebook.
  if (!editor || uri?.scheme !== 'file' || uri.fsPath !== change.snapshot.path) {
    sayNothingChanged();
    return;
  }
  const fromGutter = lineChangesSchema.safeParse(lineChanges).data?.[Number(index)];
  const line = fromGutter ? fromGutter.modifiedStartLineNumber - 1 : editor.selection.active.line;
  const { hunkAt, revertHunk } = await import('./revertHunk.ts');
  const hunk = await hunkAt(change, editor.document, line);
  if (hunk) {
    await revertHunk(change, editor.document, hunk);
  } else {
    void vscode.window.showInformationMessage('Put the cursor into a changed line first.');
  }
}

function sayNothingChanged(): void {
  void vscode.window.showInformationMessage('No file here is changed by an agent, or its change is kept.');
}
