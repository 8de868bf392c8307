import * as vscode from 'vscode';
import { diffLines, type Hunk } from '../base/lineDiff.ts';
import type { Change } from './changes.ts';
import { documentBefore } from './beforeFiles.ts';
import { linesBetween, linesIn } from '../editor/documents.ts';
import { replacement } from '../editor/replacement.ts';

/**
 * The hunk around a 0-based line of the file as it is now; of a deletion, the line before or after it. Between two, the
 * one after the line, which is where the gutter marks it: at the top of the file, at line -1.
 * @throws when the file is too large and too different to tell its hunks
 */
export async function hunkAt(
  change: Change,
  document: vscode.TextDocument,
  line: number,
): Promise<Hunk | undefined> {
  const { hunks, isExact } = diffLines(await linesIn(await documentBefore(change)), await linesIn(document));
  if (!isExact) {
    throw new Error('Too much of this file has changed to revert a part of it. Revert the file instead.');
  }
  const isDeletionHere = ({ nowStart, nowEnd }: Hunk) =>
    nowStart === nowEnd && Math.abs(nowStart - line - 0.5) < 1;
  return (
    hunks.find(({ nowStart, nowEnd }) => nowStart <= line && line < nowEnd) ?? hunks.findLast(isDeletionHere)
  );
}

/** Puts the lines of before in the place of those of now; saved, unless there were unsaved changes already. */
export async function revertHunk(change: Change, document: vscode.TextDocument, hunk: Hunk): Promise<void> {
  const wasDirty = document.isDirty;
  const lines = linesBetween(await documentBefore(change), hunk.beforeStart, hunk.beforeEnd);
  const { range, text } = replacement(document, hunk, lines);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, text);
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error('The editor has refused the edit.');
  }
  if (!wasDirty) {
    await document.save();
  }
}
