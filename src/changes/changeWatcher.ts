import type * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import type { Changes } from './changes.ts';
import { type ChangeReview, writeTime } from './changeReview.ts';
import type { ChangeSets } from './changeSets.ts';
import type { Clients } from '../context/clients.ts';
import { isIn } from '../server/isAt.ts';
import { watchWorkspaceFiles } from '../editor/workspaceFiles.ts';

/** Of more files at once, as of an installation, none is looked for under another name. */
const maxAppeared = 1_000;

/**
 * Looks at the files of the change sets again whenever they may have changed, and follows those that are moved.
 * @param thereBefore those of files that have appeared which have taken the place of another one
 */
export function watchChanges(
  { sets, changes, review }: { sets: ChangeSets; changes: Changes; review: ChangeReview },
  clients: Clients,
  thereBefore: ThereBefore,
): vscode.Disposable {
  const store = new DisposableStore();
  const touched = new Set<string>();
  const appeared = new Set<string>();
  const look = async (paths: Set<string>, others: ReadonlySet<string>) => {
    review.takeAccepted();
    if (others.size > 0) {
      // Of what comes or goes with its folder the watcher tells nothing.
      const listed = sets.all.flatMap(({ snapshots }) => [...snapshots.keys()]);
      listed.filter((path) => isIn(others, path)).forEach((path) => paths.add(path));
    }
    await changes.refresh(paths);
    await followMoves(changes, review, [...others], thereBefore);
  };
  const refresh = store.add(
    new Throttle(100, () => {
      void look(new Set(touched), new Set(appeared));
      touched.clear();
      appeared.clear();
    }),
  );
  const touch = ({ fsPath }: vscode.Uri) => {
    if (review.isFollowed(fsPath)) {
      touched.add(fsPath);
      refresh.schedule();
    } else if (sets.all.length > 0 && appeared.size < maxAppeared) {
      appeared.add(fsPath);
      refresh.schedule();
    }
  };
  store.add(watchWorkspaceFiles(touch));
  // The watcher does not see files outside the workspace, nor those of files.watcherExclude. The CLI calls a tool
  // after each of its writes.
  const refreshAll = store.add(
    new Throttle(500, () => {
      review.takeAccepted();
      void changes.refresh();
    }),
  );
  store.add(
    clients.onDidUse((session) => {
      review.didCall(session);
      refreshAll.schedule();
    }),
  );
  const forgetUnwritten = store.add(
    new Throttle(writeTime + 500, () => {
      if (review.forgetUnwritten()) {
        forgetUnwritten.schedule();
      }
    }),
  );
  store.add(review.onDidFindEdit(() => forgetUnwritten.schedule()));
  return store;
}

type ThereBefore = (paths: readonly string[]) => ReadonlySet<string> | Promise<ReadonlySet<string>>;

/** @param appeared files that were not followed @param thereBefore see `watchChanges` */
export async function followMoves(
  changes: Changes,
  review: ChangeReview,
  appeared: readonly string[],
  thereBefore: ThereBefore,
): Promise<void> {
  const moves = await changes.movesTo(appeared);
  if (moves.size > 0) {
    const there = await thereBefore([...moves.values()]);
    moves.forEach((to, from) => !there.has(to) && review.didMove(from, to));
    await changes.refresh();
  }
}
