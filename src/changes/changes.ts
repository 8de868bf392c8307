import { readFile, stat } from 'node:fs/promises';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { errorMessage, isNotFound } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Queue } from '../base/queue.ts';
import { counted } from '../base/text.ts';
import { differInCase } from '../server/isAt.ts';
import type { ChangeSet, Entry, Snapshot } from './changeSet.ts';
import { bytesAt, type ChangeSets, LostSnapshot } from './changeSets.ts';
import { compare, type Comparison } from './comparison.ts';

/** A file that differs from what it was before a session edited it. */
export interface Change extends Entry {
  readonly comparison: Exclude<Comparison, { kind: 'same' }>;
}

/** A file that has grown beyond this many bytes is known to differ, and its lines are not counted. */
const maxComparedBytes = 20 * 1024 * 1024;

/** In bytes: to wait for so small a file takes eight times the work of reading it. */
const maxReadAtOnce = 64 * 1024;

/** How the files of all change sets compare with what they were. */
export class Changes implements Disposable {
  private readonly known = new WeakMap<Snapshot, { stamp: string; comparison: Comparison }>();
  /** What each file was like when it was last there. */
  private readonly seen = new WeakMap<Snapshot, string>();
  private readonly differed = new WeakSet<Snapshot>();
  private readonly changed = new Emitter<void>();
  private readonly store = new DisposableStore();
  /** Comparisons run one after the other, so that the last one counts. */
  private readonly queue = new Queue();
  /** From then on another window may drop snapshots: what is not found is not lost. */
  private isDisposed = false;
  /** What the next one in the queue will look at, as long as it has not begun. */
  private next: { paths: Set<string> | undefined; done: Promise<void> } | undefined;

  readonly onDidChange = this.changed.event;

  constructor(
    private readonly sets: ChangeSets,
    private readonly log: Logger,
  ) {
    this.store.add(
      sets.onDidReplace(({ old, now }) => {
        this.carryOver(old, now);
        void this.refresh(new Set([now.path])); // the watcher may have told of the file already
      }),
    );
    this.store.add(sets.onDidChange(() => this.changed.fire()));
  }

  /** Oldest session first; the files in the order in which they were edited. */
  get all(): Change[] {
    return this.sets.all.flatMap((set) => this.ofSet(set));
  }

  ofSet(set: ChangeSet): Change[] {
    return [...set.snapshots.values()].flatMap((snapshot) => this.changeOf(set, snapshot));
  }

  /** Those of the session with that process. */
  ofProcess(pid: number | undefined): Change[] {
    const set = this.sets.all.find((each) => pid !== undefined && each.pid === pid);
    return set ? this.ofSet(set) : [];
  }

  /** One per session that has changed the file. */
  ofPath(path: string): Change[] {
    return this.sets.ofPath(path).flatMap(({ set, snapshot }) => this.changeOf(set, snapshot));
  }

  /** Whether the file was as before when it was last looked at; not so if it could not be. */
  isSame(snapshot: Snapshot): boolean {
    return this.known.get(snapshot)?.comparison.kind === 'same';
  }

  /** Whether the file was found to be another than before, at some time in this window, or earlier and is away. */
  hasDiffered(snapshot: Snapshot): boolean {
    return this.differed.has(snapshot) || !!snapshot.away;
  }

  /** Looks at files again that may have changed. @param paths all by default */
  refresh(paths?: ReadonlySet<string>): Promise<void> {
    if (this.next) {
      this.next.paths &&= paths && new Set([...this.next.paths, ...paths]);
      return this.next.done;
    }
    const done = this.queue.run(() => this.lookAtNext());
    this.next = { paths: paths && new Set(paths), done };
    return done;
  }

  /**
   * Where files that are gone are now, among those that have appeared: moved by somebody, and not written since.
   * @returns the new path by the old one
   */
  async movesTo(appeared: Iterable<string>): Promise<Map<string, string>> {
    const paths = new Map(this.sets.entries.map(({ snapshot: each }) => [this.seen.get(each), each.path]));
    const moves = new Map<string, string>();
    if (paths.size === 0) {
      return moves; // mostly: all is reviewed, and what has appeared need not be looked at
    }
    for (const path of appeared) {
      const from = paths.get(await stampOf(path));
      // Where case makes no difference in names, the old one still leads to it.
      if (from !== undefined && (differInCase(from, path) || (await stampOf(from)) === 'none')) {
        moves.set(from, path);
      }
    }
    return moves;
  }

  /** Forgets what ended sessions have left as it was: there is nothing to review, unless it waits elsewhere. */
  async tidy(): Promise<void> {
    await this.refresh();
    this.sets.forget((snapshot, { pid }) => pid === undefined && !snapshot.away && this.isSame(snapshot));
  }

  dispose(): void {
    this.isDisposed = true;
    this.store.dispose();
    this.changed.dispose();
  }

  private async lookAtNext(): Promise<void> {
    const paths = this.next?.paths;
    this.next = undefined;
    let differs = false;
    for (const set of [...this.sets.all]) {
      for (const snapshot of [...set.snapshots.values()]) {
        if (!paths || paths.has(snapshot.path)) {
          differs = (await this.look(set, snapshot)) || differs;
        }
      }
    }
    if (differs) {
      this.changed.fire();
    }
  }

  /** Until it is looked at it is listed as it was: its row, and what stands in its editor, shall not come and go. */
  private carryOver(old: Snapshot, now: Snapshot): void {
    const comparison = this.known.get(old)?.comparison;
    if (comparison && comparison.kind !== 'same') {
      this.know(now, '', comparison);
    }
  }

  private know(snapshot: Snapshot, stamp: string, comparison: Comparison): void {
    this.known.set(snapshot, { stamp, comparison });
    if (comparison.kind !== 'same') {
      this.differed.add(snapshot);
    }
  }

  private changeOf(set: ChangeSet, snapshot: Snapshot): Change[] {
    const comparison = this.known.get(snapshot)?.comparison;
    return !comparison || comparison.kind === 'same' ? [] : [{ set, snapshot, comparison }];
  }

  /** @returns whether the comparison has become another */
  private async look(set: ChangeSet, snapshot: Snapshot): Promise<boolean> {
    try {
      const { stamp, size } = await describe(snapshot.path);
      if (stamp !== 'none') {
        this.seen.set(snapshot, stamp);
      }
      if (stamp === this.known.get(snapshot)?.stamp) {
        return false;
      }
      const { path } = snapshot;
      const comparison: Comparison =
        size > maxComparedBytes && size !== snapshot.size
          ? { kind: snapshot.hash === undefined ? 'created' : 'modified' }
          : compare(this.sets.before(snapshot), size > maxReadAtOnce ? await readFile(path) : bytesAt(path));
      this.know(snapshot, stamp, comparison);
    } catch (error) {
      this.log.warn(`${snapshot.path} cannot be compared: ${errorMessage(error)}`);
      if (
        this.isDisposed ||
        !(error instanceof LostSnapshot) ||
        set.snapshots.get(snapshot.path) !== snapshot
      ) {
        return false; // not readable now; or kept in the meantime, and its file perhaps edited anew
      }
      this.sets.forgetLost(snapshot);
    }
    return true;
  }
}

/** `3 files, 11 changes`; undefined when nothing is left. A file that two sessions have changed counts once. */
export function leftText(changes: readonly Change[]): string | undefined {
  const hunks = new Map<string, number>();
  for (const { snapshot, comparison } of changes) {
    // That of the earliest session spans the others. What has no lines, or too many, or other line ends alone, is one change.
    hunks.set(snapshot.path, Math.max(hunks.get(snapshot.path) ?? 1, comparison.lines?.hunks ?? 1));
  }
  const sum = [...hunks.values()].reduce((total, count) => total + count, 0);
  return sum === 0 ? undefined : `${counted(hunks.size, 'file')}, ${counted(sum, 'change')}`;
}

/**
 * `stamp` differs whenever the content may do so, and is `none` when there is no file; `size` in bytes, infinite for
 * what is not a file: to read a pipe would never end.
 */
export async function describe(path: string): Promise<{ stamp: string; size: number }> {
  try {
    const found = await stat(path);
    return {
      stamp: `${found.mtimeMs}:${found.size}:${found.ino}`,
      size: found.isFile() ? found.size : Infinity,
    };
  } catch (error) {
    if (isNotFound(error)) {
      return { stamp: 'none', size: 0 };
    }
    throw error;
  }
}

/** The stamp alone, `none` also for what cannot be looked at. */
export function stampOf(path: string): Promise<string> {
  return describe(path).then(
    ({ stamp }) => stamp,
    () => 'none',
  );
}

/** @throws when there is something else than a file */
export async function mustBeFile(path: string): Promise<void> {
  if ((await describe(path)).size === Infinity) {
    throw new Error(`${path} is no longer a file.`);
  }
}
