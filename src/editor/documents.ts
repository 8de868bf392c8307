import * as vscode from 'vscode';

/** The document of that URI, if the editor has it open. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

/** The notebook of that URI, if the editor has it open. Its text may be open as a document too. */
export function openNotebook(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  return vscode.workspace.notebookDocuments.find((notebook) => notebook.uri.toString() === uri.toString());
}

/** Saves a notebook that the user has changed, if the editor has it open at that URI. */
export async function saveNotebook(uri: vscode.Uri): Promise<void> {
  const notebook = openNotebook(uri);
  if (notebook?.isDirty) {
    await notebook.save();
  }
}
