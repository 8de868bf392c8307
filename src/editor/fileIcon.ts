import * as vscode from 'vscode';

/** Gives a tree item the icon of a file; as the file itself it would bear the marks of its problems, and ours, too. */
export function fileIcon(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: 'ide-bridge-icon' });
}
