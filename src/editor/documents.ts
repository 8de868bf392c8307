import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';

export function isSame(a: vscode.Uri | undefined, b: vscode.Uri): boolean {
  return a?.toString() === b.toString();
}

/** The document of that URI, if the editor has it open. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => isSame(document.uri, uri));
}

/** Lines that are read in one go: half a million at once would hold up every extension for 0.1 s. */
const portion = 50_000;

/** All of its lines as they are at one moment, without their line ends. */
export async function linesIn(document: vscode.TextDocument): Promise<string[]> {
  const { version } = document;
  let lines: string[] = [];
  for (let start = 0; start < document.lineCount; start += portion) {
    if (start > 0) {
      await setImmediate();
      if (document.version !== version) {
        return linesIn(document);
      }
    }
    lines = lines.concat(linesBetween(document, start, Math.min(start + portion, document.lineCount)));
  }
  return lines;
}

/** 0-based, `end` exclusive; without their line ends. */
export function linesBetween(document: vscode.TextDocument, start: number, end: number): string[] {
  return Array.from({ length: end - start }, (_, i) => document.lineAt(start + i).text);
}

/** The notebook of that URI, if the editor has it open. Its text may be open as a document too. */
export function openNotebook(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  return vscode.workspace.notebookDocuments.find((notebook) => isSame(notebook.uri, uri));
}

/** What the editor has open of a file: its text if that has unsaved changes, else its notebook, else its text. */
export function openFile(uri: vscode.Uri): vscode.TextDocument | vscode.NotebookDocument | undefined {
  const text = openDocument(uri);
  return text?.isDirty ? text : (openNotebook(uri) ?? text);
}

/** Saves a notebook that the user has changed, if the editor has it open at that URI. */
export async function saveNotebook(uri: vscode.Uri): Promise<void> {
  const notebook = openNotebook(uri);
  if (notebook?.isDirty) {
    await notebook.save();
  }
}
