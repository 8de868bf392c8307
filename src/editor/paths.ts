import { statSync } from 'node:fs';
import * as vscode from 'vscode';
import { currentPathContext, pathCandidates } from '../tools/paths.ts';
import { asOpened, workspaceFolderPaths } from './workspaceFolders.ts';

/** What a client may mean by a path or `file:` URI, likeliest first, as the editor knows it. @throws see `pathCandidates` */
export function candidates(input: string): string[] {
  return pathCandidates(input, currentPathContext(workspaceFolderPaths())).map(asOpened);
}

/** The same as URIs; none for what cannot be a path of this machine. */
export function fileUris(input: string): vscode.Uri[] {
  try {
    return candidates(input).map((path) => vscode.Uri.file(path));
  } catch {
    return [];
  }
}

/** False for what is not there, or cannot even be a path. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
