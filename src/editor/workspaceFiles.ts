import * as vscode from 'vscode';

/** Calls `touch` for each file of the workspace that is created, changed or deleted, but for `files.watcherExclude`. */
export function watchWorkspaceFiles(touch: (uri: vscode.Uri) => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/*');
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(touch),
    watcher.onDidCreate(touch),
    watcher.onDidDelete(touch),
  );
}
