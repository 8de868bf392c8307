import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Workspace } from '../tools/getWorkspaceFolders.ts';
import { rawUri } from './rawUri.ts';

/**
 * The open folders as absolute paths. A folder that was opened through a link is listed with its real path too,
 * because that is what a CLI started in it sees as its working directory.
 */
export function workspaceFolderPaths(): string[] {
  const paths = (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .flatMap(({ uri }) => [uri.fsPath, realPath(uri.fsPath)]);
  return [...new Set(paths)];
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

export const workspace: Workspace = {
  get folders() {
    return (vscode.workspace.workspaceFolders ?? []).map(({ name, uri, index }) => ({
      name,
      uri: rawUri(uri),
      path: uri.fsPath,
      index,
    }));
  },
  get workspaceFile() {
    return vscode.workspace.workspaceFile?.fsPath ?? null;
  },
};
