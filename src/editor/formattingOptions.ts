import * as vscode from 'vscode';

/** What a formatter is to be told for a file, as the user has set it. */
export function formattingOptions(uri: vscode.Uri): vscode.FormattingOptions {
  const editor = vscode.workspace.getConfiguration('editor', uri);
  return { tabSize: editor.get('tabSize', 4), insertSpaces: editor.get('insertSpaces', true) };
}
