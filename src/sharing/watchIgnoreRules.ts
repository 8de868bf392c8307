import type * as vscode from 'vscode';
import type { GitIgnored } from './gitIgnored.ts';
import { watchWorkspaceFiles } from '../editor/workspaceFiles.ts';

/** What says which files Git ignores, also for submodules and other work trees. */
const rules = /\/(\.gitignore|\.git\/(.+\/)?(config|exclude))$/;
/** Git never ignores what this one has, and writes it all the time. */
const index = /\/\.git\/(.+\/)?index$/;

/** Tells of each change in the workspace that may have Git ignore other files than before. */
export function watchIgnoreRules(ignored: Pick<GitIgnored, 'forget' | 'renew'>): vscode.Disposable {
  return watchWorkspaceFiles(({ path }) => {
    if (rules.test(path)) {
      ignored.forget();
    } else if (index.test(path)) {
      ignored.renew();
    }
  });
}
