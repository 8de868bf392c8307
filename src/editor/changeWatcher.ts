import type * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import type { Changes } from '../changes/changes.ts';
import type { ChangeSets } from '../changes/changeSets.ts';
import type { Clients } from '../context/clients.ts';
import { watchWorkspaceFiles } from './workspaceFiles.ts';

/** Looks at the files of the change sets again whenever they may have changed. */
export function watchChanges(sets: ChangeSets, changes: Changes, clients: Clients): vscode.Disposable {
  const store = new DisposableStore();
  const touched = new Set<string>();
  const refresh = store.add(
    new Throttle(100, () => {
      void changes.refresh(new Set(touched));
      touched.clear();
    }),
  );
  const touch = ({ fsPath }: vscode.Uri) => {
    if (sets.ofPath(fsPath).length > 0) {
      touched.add(fsPath);
      refresh.schedule();
    }
  };
  store.add(watchWorkspaceFiles(touch));
  // The watcher does not see files outside the workspace, nor those of files.watcherExclude. The CLI calls a tool
  // after each of its writes.
  const refreshAll = store.add(new Throttle(500, () => void changes.refresh()));
  store.add(clients.onDidUse(() => refreshAll.schedule()));
  return store;
}
