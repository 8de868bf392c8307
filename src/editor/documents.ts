import * as vscode from 'vscode';

/** The document of that URI, if the editor has it open. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

/** Saves a notebook that the user has changed, if the editor has it open at that URI. */
export async function saveNotebook(uri: vscode.Uri): Promise<void> {
  const notebook = vscode.workspace.notebookDocuments.find((open) => open.uri.toString() === uri.toString());
  if (notebook?.isDirty) {
    await notebook.save();
  }
}
