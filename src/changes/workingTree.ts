import { existsSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import type { Git } from '../server/git.ts';
import type { SnapshotSource } from './changeSet.ts';
import { contentOf, type Gone, isIn, maxFiles, NotedFiles } from './notedFiles.ts';
import { type GitState, type GitView, TreeGit } from './treeGit.ts';

export interface FoundBefore {
  path: string;
  /** Undefined: there was no file. */
  bytes: Buffer | undefined;
  /** Permissions; undefined: those that a file has as a rule, or that it has now. */
  mode: number | undefined;
  source: SnapshotSource;
}

interface Noted extends GitState {
  readonly head: string;
  readonly files: NotedFiles;
}

/**
 * What the files of a git work tree were before a shell command changed them: the last commit, except for the files
 * that differed from it when `note` was called. To revert one that is listed wrongly would lose it: where there is
 * any doubt, none is found. No filter is ever run, so a file that has one is such a doubt.
 */
export class WorkingTree {
  private noted: Noted | undefined;
  private readonly git: TreeGit;

  /** @param folder absolute; the work tree or a folder in it. Outside of git nothing is ever found. */
  constructor(folder: string, git: Git) {
    this.git = new TreeGit(folder, git);
  }

  /** Remembers what differs from the last commit at this moment. Never throws. */
  async note(): Promise<void> {
    try {
      const since = Date.now();
      const state = await this.git.begin();
      const [uncommitted, ignored, overlooked, head] = await Promise.all([
        this.git.allUncommitted(),
        this.git.ignored(),
        this.git.overlooked(),
        this.git.head(),
      ]);
      const unseen = [...ignored, ...overlooked];
      this.noted = { ...state, head, files: await NotedFiles.of(since, uncommitted, unseen) };
    } catch {
      this.noted = undefined; // no repository, or none with a commit
    }
  }

  /** The user has saved this file, or deleted or moved this file or folder: that is not an agent's work. */
  async noteFile(path: string): Promise<void> {
    await this.noted?.files.take(path);
  }

  /** Somebody else may have written these: what they were is not known until they are noted again. */
  doubt(paths: readonly string[]): void {
    this.noted?.files.doubt(paths);
  }

  /**
   * Those of `paths` of which it is known what they were, and that git does not ignore: none that a commit, checkout,
   * pull or reset has given another committed text since `note`, none but a new one that is as it is staged (its
   * changes were discarded), none that was moved there and may be the only copy of what was never committed, and none at
   * all where a stash may have been applied. Never throws.
   * @param isKept whether what the file was is known, so that nothing is lost with it
   */
  async before(
    paths: readonly string[],
    isKept: (path: string) => boolean = () => false,
  ): Promise<FoundBefore[]> {
    const { noted } = this;
    if (!noted || paths.length === 0 || paths.length > maxFiles) {
      return [];
    }
    try {
      const state = await this.git.begin();
      if (this.git.isAtWork()) {
        return [];
      }
      if (mayHaveStashed(noted, state)) {
        await this.note(); // what is there now is the user's, as far as one can tell
        return [];
      }
      const gone = noted.files.gone(isKept);
      const view = await this.git.view([...new Set([...paths, ...gone.lost.keys()])], noted.head);
      const brought = await this.brought(paths, noted.files, view, gone);
      const found: FoundBefore[] = [];
      for (const path of paths) {
        const before = await this.beforeOf(path, noted.files, view, brought);
        if (before) {
          found.push({ ...before, path, mode: modeOf(path, view) });
        }
      }
      return (await this.git.index()) === state.index ? found : []; // else git has worked meanwhile
    } catch {
      return [];
    }
  }

  private async beforeOf(
    path: string,
    noted: NotedFiles,
    view: GitView,
    brought: ReadonlySet<string>,
  ): Promise<Pick<FoundBefore, 'bytes' | 'source'> | undefined> {
    if (view.recommitted.has(path)) {
      return undefined; // by a commit since, which may be undone: what is noted may count again
    }
    const change = view.uncommitted.get(path);
    const text = noted.textOf(path);
    const isTracked = view.tracked.has(path);
    // What git does not track "git clean" takes away; an agent may stage what it deletes.
    if (!change || (text && !isTracked && !noted.wasTracked(path) && !existsSync(path))) {
      if (text && isTracked) {
        noted.forget(path); // as committed again, by whomever
      } else if (text) {
        noted.giveUp(path);
      }
      return undefined;
    }
    const isNew = change.isNew && !noted.has(path);
    const isAsStaged = isTracked && !view.unstaged.has(path);
    if (brought.has(path) || (isAsStaged && !isNew)) {
      await noted.take(path);
      return undefined;
    }
    if (text) {
      return (await isLink(path)) ? undefined : { bytes: text, source: 'saved' };
    }
    // Unknown; or in a folder that was ignored, another repository, a submodule, a link, or that the user has deleted.
    if (noted.has(path) || noted.isAround(path) || isIn(view.replaced, path)) {
      return undefined;
    }
    if (isNew) {
      return { bytes: undefined, source: 'git' };
    }
    const bytes =
      view.filtered.has(path) || (await isLink(path)) ? undefined : await this.git.committed(path);
    return bytes && { bytes, source: 'git' };
  }

  /** Those that were moved where they are, and may be the only copies of what was never committed. */
  private async brought(
    paths: readonly string[],
    noted: NotedFiles,
    view: GitView,
    gone: Gone,
  ): Promise<Set<string>> {
    const brought = new Set<string>();
    /** What no revert brings back, and is nowhere as it was: whoever moved it may have written into it, too. */
    const missing = new Map([...gone.lost].filter(([path]) => !isListed(path, noted, view)));
    const candidates: string[] = [];
    for (const path of paths) {
      if (!view.uncommitted.has(path) || noted.textOf(path) || !existsSync(path)) {
        continue;
      }
      const content = gone.lost.size + gone.kept.length > 0 ? await contentOf(path) : undefined;
      const same = [...gone.lost].filter(([, bytes]) => content?.equals(bytes));
      same.forEach(([each]) => missing.delete(each));
      if (same.length > 0) {
        brought.add(path);
      } else if (!noted.has(path) && !gone.kept.some((bytes) => content?.equals(bytes))) {
        candidates.push(path);
      }
    }
    const isUnknown = gone.isUnknown || missing.size > 0;
    /** If not even git has it. */
    const older: string[] = [];
    for (const path of candidates) {
      const isNew = view.uncommitted.get(path)?.isNew === true;
      if ((isNew && isUnknown) || (await noted.isOlder(path, isNew))) {
        older.push(path);
      }
    }
    const isKnown = await this.git.withKnownContent(older);
    older.filter((path) => !isKnown.has(path)).forEach((path) => brought.add(path));
    return brought;
  }
}

/** Whether what has gone there is listed as deleted, or may count again when a commit is undone. */
function isListed(path: string, noted: NotedFiles, { recommitted, tracked, uncommitted }: GitView): boolean {
  const isTracked = tracked.has(path) || noted.wasTracked(path);
  return recommitted.has(path) || (isTracked && uncommitted.has(path));
}

/** Whether what is there may come out of a stash: to apply one leaves no other sign than that the index was written. */
function mayHaveStashed(noted: GitState, now: GitState): boolean {
  return (
    now.stashes !== noted.stashes ||
    now.stashing !== noted.stashing ||
    (noted.stashes !== '' && now.index !== noted.index)
  );
}

/** To put back what a deleted program was. */
function modeOf(path: string, { uncommitted }: GitView): number | undefined {
  const isExecutable = uncommitted.get(path)?.isExecutable === true;
  return isExecutable && !existsSync(path) ? 0o777 & ~process.umask() : undefined;
}

/** To put bytes back would write what it points to. */
function isLink(path: string): Promise<boolean> {
  return readlink(path).then(
    () => true,
    () => false,
  );
}
