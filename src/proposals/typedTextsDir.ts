import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * Where windows on this folder or workspace keep what is typed into proposals. Not in `storageUri`: as long as the
 * extension host of a crashed window lives on, for hours on a remote machine, the next window is given another one.
 */
export function typedTextsDir(globalStorageUri: vscode.Uri): string {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  const opened = workspaceFile ?? workspaceFolders?.[0]?.uri;
  const name = createHash('sha256')
    .update(opened?.toString() ?? '')
    .digest('hex');
  return vscode.Uri.joinPath(globalStorageUri, 'proposals', name).fsPath;
}
