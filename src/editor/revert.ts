import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { diffLines, type Hunk } from '../base/lineDiff.ts';
import { type Change, describe } from '../changes/changes.ts';
import type { ChangeSets } from '../changes/changeSets.ts';
import { beforeUri } from './beforeFiles.ts';
import { linesBetween, linesIn, openDocument, saveNotebook } from './documents.ts';
import { replacement } from './replacement.ts';

/**
 * Gives the file back every byte that it had before the session's first edit. Where it is open, the editor's undo
 * brings the change back.
 * @throws when the bytes are lost or cannot be written
 */
export async function revertFile(sets: ChangeSets, change: Change): Promise<void> {
  const { path } = change.snapshot;
  const uri = vscode.Uri.file(path);
  const before = sets.before(change.snapshot);
  if (!before) {
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(uri, { ignoreIfNotExists: true });
    if (!(await vscode.workspace.applyEdit(edit))) {
      throw new Error(`${path} could not be deleted.`);
    }
    return;
  }
  if ((await describe(path)).size === Infinity) {
    throw new Error(`${path} is no longer a file.`);
  }
  const document = openDocument(uri);
  if (document?.isDirty) {
    // The editor does not take over what is written below while it has unsaved changes.
    const { text, eol } = await textBefore(change);
    const edit = new vscode.WorkspaceEdit();
    edit.set(uri, [
      vscode.TextEdit.replace(document.validateRange(new vscode.Range(0, 0, document.lineCount, 0)), text),
      vscode.TextEdit.setEndOfLine(eol),
    ]);
    if (!(await vscode.workspace.applyEdit(edit)) || !(await document.save())) {
      throw new Error(`${path} has unsaved changes, and could not be saved.`);
    }
  }
  await saveNotebook(uri); // for the same reason
  // A clean document follows the file by itself, and can undo that. Only this is sure to bring back every byte:
  // the editor's own saving may format, and knows one encoding and one kind of line end.
  const now = await readFile(path).catch(() => undefined);
  if (!now?.equals(before)) {
    await vscode.workspace.fs.writeFile(uri, before);
  }
}

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

async function textBefore(change: Change): Promise<{ text: string; eol: vscode.EndOfLine }> {
  const document = await documentBefore(change);
  return { text: document.getText(), eol: document.eol };
}

/** Decoded by the editor, as the file itself is. */
async function documentBefore({ set, snapshot }: Change): Promise<vscode.TextDocument> {
  return vscode.workspace.openTextDocument(beforeUri(set, snapshot));
}
