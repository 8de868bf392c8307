import * as vscode from 'vscode';
import { formattingOptions } from '../editor/formattingOptions.ts';
import { candidates, isRegularFile } from '../editor/paths.ts';
import { savedForAgents } from '../editor/savedForAgents.ts';
import { readDocument } from './files.ts';

/** See `Formatter`. In a module of its own: only the clients of one dialect ask for it. */
export async function formatFile(input: string): Promise<boolean | undefined> {
  const path = candidates(input).find(isRegularFile);
  if (path === undefined) {
    return undefined;
  }
  const document = await readDocument(path);
  const edits = (await formattingOf(document)) ?? (await formattingOf(document));
  if (!edits) {
    throw new Error(`${path} was edited meanwhile. Try again.`);
  }
  if (edits.length === 0) {
    return false; // no formatter, or one that has nothing to change: the editor does not tell them apart
  }
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, edits);
  const wasDirty = document.isDirty;
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error(`The editor refused to change ${path}.`);
  }
  if (!wasDirty && document.isDirty && !(await save(document))) {
    throw new Error(`${path} is formatted, but the editor did not save it.`);
  }
  return true;
}

async function save(document: vscode.TextDocument): Promise<boolean> {
  savedForAgents.add(document);
  try {
    return await document.save();
  } finally {
    savedForAgents.delete(document);
  }
}

/** @returns undefined when the text has changed meanwhile, which these edits do not fit */
async function formattingOf(document: vscode.TextDocument): Promise<vscode.TextEdit[] | undefined> {
  const { uri, version } = document;
  const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
    'vscode.executeFormatDocumentProvider',
    uri,
    formattingOptions(uri),
  );
  return document.version === version ? (edits ?? []) : undefined;
}
