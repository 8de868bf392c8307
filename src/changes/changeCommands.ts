import { basename } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { Change, Changes } from './changes.ts';
import type { ChangeReview } from './changeReview.ts';
import type { ChangeSet } from './changeSet.ts';
import { openAllChanges, openChange } from './changeDiffs.ts';
import { hunkAt, revertHunk } from './revertHunk.ts';
import type { ChangesNode } from './changesView.ts';
import { confirmRevert } from './confirmRevert.ts';

/** What was done to files after the fact: look at it, take it back, keep it. */
export function changeCommands({ review, changes }: { review: ChangeReview; changes: Changes }) {
  return {
    reviewChanges: (node: unknown) => {
      const chosen = isNode(node) ? changesOf(node, changes) : changes.all;
      const title = isNode(node) ? `Changes by ${setOf(node).label}` : 'Changes by Agents';
      return chosen.length > 0 ? openAllChanges(chosen, title) : sayNothingChanged();
    },
    openChange: (argument: unknown) => withChange(argument, changes, (change) => openChange(change)),
    revertHunk: (_uri: unknown, lineChanges: unknown, index: unknown) =>
      withChange(undefined, changes, (change) => revertHunkOf(change, lineChanges, index)),
    revertFile: (argument: unknown) =>
      withChange(argument, changes, (change) => revert(review, changes, [change])),
    revertSession: (node: unknown) =>
      isNode(node) ? revert(review, changes, changesOf(node, changes)) : sayNothingChanged(),
    keepFile: (argument: unknown) =>
      withChange(argument, changes, ({ snapshot }) => review.keep([snapshot.path])),
    keepSession: (node: unknown) =>
      isNode(node) ? review.keep(setOf(node).snapshots.keys()) : sayNothingChanged(),
    keepAllChanges: () => review.keepAll(),
  };
}

function isNode(value: unknown): value is ChangesNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function setOf(node: ChangesNode): ChangeSet {
  return node.kind === 'session' ? node.set : node.change.set;
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
  const items = found.map((change) => ({ label: change.set.label, change }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Several sessions changed this file' });
  return picked?.change;
}

async function revert(review: ChangeReview, changes: Changes, chosen: readonly Change[]): Promise<void> {
  if (!(await confirmRevert(chosen, review))) {
    return;
  }
  const problems: string[] = [];
  // The newest first: two of them may be one file, by a link or in another case.
  for (const change of [...chosen].reverse()) {
    try {
      await review.revert(change);
    } catch (error) {
      problems.push(printable(`${basename(change.snapshot.path)}: ${errorMessage(error)}`, 1_000));
    }
  }
  await changes.refresh(new Set(chosen.map(({ snapshot }) => snapshot.path)));
  if (problems.length > 0) {
    void vscode.window.showErrorMessage(`Not everything could be reverted. ${problems.join(' ')}`);
  }
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
