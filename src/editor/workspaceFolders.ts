import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import { isAt } from '../server/isAt.ts';
import { isOpen, nameIn, type OpenFolder } from '../server/openFolders.ts';
import type { Workspace } from '../tools/getWorkspaceFolders.ts';
import { rawUri } from './rawUri.ts';

/**
 * The open folders as absolute paths. A folder that was opened through a link is listed with its real path too,
 * because that is what a CLI started in it sees as its working directory.
 */
export function workspaceFolderPaths(): string[] {
  return [...new Set(folders().flatMap(({ opened, real }) => [opened, real]))];
}

/** The path by which the editor knows a file: that of the folder as it was opened, in the place of the real one. */
export function asOpened(path: string): string {
  return nameIn(folders(), path);
}

export function isInWorkspace(path: string): boolean {
  return isOpen(folders(), path);
}

/** Gives, for many files, the path by which a CLI knows each that was started in its folder. */
export function realNames(): (path: string) => string {
  const opened = folders(); // each a look at the disk
  return (path) => {
    const folder = opened.find((candidate) => isAt(path, candidate.opened));
    return folder ? folder.real + path.slice(folder.opened.length) : path;
  };
}

function folders(): OpenFolder[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri: { fsPath } }) => ({ opened: fsPath, real: realPath(fsPath) }));
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
