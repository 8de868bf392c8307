import * as vscode from 'vscode';

/** By which a client tells the folders of the window apart: its name, or its path where another one has that name. */
export function nameOfFolder({ name, uri }: vscode.WorkspaceFolder): string {
  const named = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.name === name);
  return named.length > 1 ? uri.fsPath : name;
}
