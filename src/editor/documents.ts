import * as vscode from 'vscode';

export function isSame(a: vscode.Uri | undefined, b: vscode.Uri): boolean {
  return a?.toString() === b.toString();
}

/** The document of that URI, if the editor has it open. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => isSame(document.uri, uri));
}

/** Without their line ends. Of a large document in less time than its text, which is put together anew and split. */
export function linesIn(document: vscode.TextDocument): string[] {
  return Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line).text);
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
