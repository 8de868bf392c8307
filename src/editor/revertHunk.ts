import * as vscode from 'vscode';
import { diffLines, type Hunk } from '../base/lineDiff.ts';
import { toLines } from '../base/text.ts';
import type { Change } from '../changes/changes.ts';
import { textBefore } from './beforeFiles.ts';
import { replacement } from './replacement.ts';

/**
 * The hunk around a 0-based line of the file as it is now; of a deletion, the line before or after it. Between two, the
 * one after the line, which is where the gutter marks it: at the top of the file, at line -1.
 */
export async function hunkAt(
  change: Change,
  document: vscode.TextDocument,
  line: number,
): Promise<Hunk | undefined> {
  const before = await textBefore(change);
  const hunks = diffLines(toLines(before.text), toLines(document.getText()));
  const isDeletionHere = ({ nowStart, nowEnd }: Hunk) =>
    nowStart === nowEnd && Math.abs(nowStart - line - 0.5) < 1;
  return (
    hunks.find(({ nowStart, nowEnd }) => nowStart <= line && line < nowEnd) ?? hunks.findLast(isDeletionHere)
  );
}

/** Puts the lines of before in the place of those of now; saved, unless there were unsaved changes already. */
export async function revertHunk(change: Change, document: vscode.TextDocument, hunk: Hunk): Promise<void> {
  const wasDirty = document.isDirty;
  const lines = toLines((await textBefore(change)).text).slice(hunk.beforeStart, hunk.beforeEnd);
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
