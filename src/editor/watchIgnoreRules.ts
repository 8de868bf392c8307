import type * as vscode from 'vscode';
import { watchWorkspaceFiles } from './workspaceFiles.ts';

/** What says which files Git ignores, also for submodules and other work trees; it never ignores what its index has. */
const rules = /\/(\.gitignore|\.git\/(.+\/)?(config|index|exclude))$/;

/** Calls `renew` whenever a change in the workspace may have Git ignore other files than before. */
export function watchIgnoreRules(renew: () => void): vscode.Disposable {
  return watchWorkspaceFiles(({ path }) => {
    if (rules.test(path)) {
      renew();
    }
  });
}
