import { existsSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import type { Git } from '../server/git.ts';
import type { SnapshotSource } from './changeSet.ts';
import { folded, isIn } from '../server/isAt.ts';
import { contentOf, type Gone, maxFiles, NotedFiles } from './notedFiles.ts';
import { isRecased, type NamesIn } from './recased.ts';
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
  constructor(
    private readonly folder: string,
    git: Git,
    private readonly namesIn?: NamesIn,
  ) {
    this.git = new TreeGit(folder, git);
  }

  /** Remembers what differs from the last commit at this moment. Never throws. */
  async note(): Promise<void> {
    try {
      const since = Date.now() + 1; // the whole of this millisecond: the times of files have fractions
      const state = await this.git.begin();
      const [uncommitted, ignored, overlooked, head] = await Promise.all([
        this.git.uncommittedIn(),
        this.git.ignored(),
        this.git.overlooked(),
        this.git.head(),
      ]);
      const unseen = [...ignored, ...overlooked];
      this.noted = { ...state, head, files: await NotedFiles.of(since, uncommitted.keys(), unseen) };
    } catch {
      this.noted = undefined; // no repository, or none with a commit
    }
  }

  /** Whether what came at that moment, in ms since the epoch, is remembered, too. */
  isNotedSince(time: number): boolean {
    return this.noted?.files.isLaterThan(time) === true;
  }

  /** Whether all that this process had been told of by then, in ms since the epoch, was there when it was noted. */
  isNotedAfter(told: number): boolean {
    return this.noted !== undefined && told < this.noted.files.since;
  }

  /** The user has saved this file, or deleted or moved this file or folder: that is not an agent's work. */
  async noteFile(path: string): Promise<void> {
    await this.noted?.files.take(path);
  }

  /** Somebody else may have written it, or taken it away: what it was is not known until it is noted again. */
  doubt(path: string): void {
    if (this.noted?.files.doubt(path) === false) {
      this.noted = undefined;
    }
  }

  /**
   * Those in these folders below its own that differ from the last commit and from what is noted, and that git does not
   * ignore; not more than can be judged. Never throws.
   * @returns by path, whether a file was there before, as far as is known
   */
  async filesIn(folders: ReadonlySet<string>): Promise<ReadonlyMap<string, boolean>> {
    try {
      await this.git.begin();
      const differing = await this.git.uncommittedIn([...folders]);
      const files = this.noted?.files;
      const within = [...differing].filter(
        ([path]) => isIn(folders, path) && files?.isAsNoted(path) !== true,
      );
      return new Map(
        within.slice(0, maxFiles).map(([path, { isNew }]) => [path, files?.wasThere(path) ?? !isNew]),
      );
    } catch {
      return new Map();
    }
  }

  /** Those of which a file was there when they were noted, as far as is known. Never throws. */
  async thereBefore(paths: readonly string[]): Promise<string[]> {
    const { noted } = this;
    if (!noted) {
      return [];
    }
    const known = new Map(paths.map((path) => [path, noted.files.wasThere(path)]));
    const unknown = paths.filter((path) => known.get(path) === undefined);
    const committed = await this.git.committedOf(unknown, noted.head).catch(() => new Set<string>());
    return paths.filter((path) => known.get(path) ?? committed.has(path));
  }

  /**
   * Those of `touched` of which it is known what they were, and that git does not ignore: none that a checkout or reset
   * has given another committed text since `note`, none that was moved there and may be the only copy of
   * what was never committed, and none at all where something went into a stash or came out of one, which may have been
   * its only copy. Of a folder that has gone, the files in it. Never throws.
   * @param isKept whether what the file was is known, so that nothing is lost with it
   * @returns undefined: git writes at this moment, so that it cannot be told yet
   */
  async before(
    touched: readonly string[],
    isKept: (path: string) => boolean = () => false,
  ): Promise<FoundBefore[] | undefined> {
    const { noted } = this;
    if (!noted || touched.length === 0 || touched.length > maxFiles) {
      return [];
    }
    try {
      const state = await this.git.begin();
      const paths = await this.withContents(touched, noted.files);
      if (this.git.isWriting()) {
        return undefined;
      }
      if (this.git.isAtWork()) {
        return [];
      }
      if (state.stashes !== noted.stashes || state.stashing !== noted.stashing) {
        await this.note(); // what is there now is the user's, as far as one can tell
        return [];
      }
      const gone = noted.files.gone(isKept);
      const look = (files: Iterable<string>) =>
        this.git.view([...new Set([...files, ...gone.lost.keys()])], noted.head);
      let view = await look(paths);
      const present = await this.recased(paths, noted.files, view);
      const former = new Map([...present].map(([before, now]) => [now, before]));
      const known = new Set(paths.map((path) => former.get(path) ?? path));
      if (former.size > 0) {
        view = await look(known);
      }
      const brought = await this.brought([...known], noted.files, view, gone);
      const found: FoundBefore[] = [];
      for (const path of known) {
        const before = await this.beforeOf(path, noted.files, view, brought);
        const now = present.get(path);
        if (before && !(now !== undefined && isKept(path))) {
          found.push({ ...before, path: now ?? path, mode: modeOf(path, view) });
        }
      }
      return (await this.git.index()) === state.index ? found : undefined;
    } catch {
      return [];
    }
  }

  /**
   * Where case makes no difference in names, those that are new only as theirs is written otherwise now: to take such a one
   * for created would have a revert delete it.
   * @returns the new path by the one by which it is noted or committed
   */
  private async recased(
    paths: readonly string[],
    noted: NotedFiles,
    { uncommitted }: GitView,
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const isNew = (path: string) => uncommitted.get(path)?.isNew === true && !noted.has(path);
    const isFoundAnyway = (path: string) => existsSync(path) && existsSync(otherCase(this.folder, path));
    const candidates = new Map(
      paths.filter((path) => isNew(path) && isFoundAnyway(path)).map((path) => [folded(path, 'win32'), path]),
    );
    if (candidates.size === 0) {
      return found;
    }
    for (const former of [...noted.paths, ...(await this.git.namedAlike([...candidates.values()]))]) {
      const now = candidates.get(folded(former, 'win32'));
      if (now !== undefined && existsSync(former) && (await isRecased(former, now, this.namesIn))) {
        found.set(former, now);
      }
    }
    return found;
  }

  /** The files of a folder that has gone are told as one. */
  private async withContents(paths: readonly string[], noted: NotedFiles): Promise<string[]> {
    const gone = paths.filter((path) => !existsSync(path) && !noted.has(path));
    const committed = gone.length > 0 ? await this.git.committedIn(gone) : [];
    const within = [...committed, ...gone.flatMap((folder) => noted.in(folder))];
    return [...new Set([...paths, ...within.filter((path) => !existsSync(path))])].slice(0, maxFiles);
  }

  private async beforeOf(
    path: string,
    noted: NotedFiles,
    view: GitView,
    brought: ReadonlySet<string>,
  ): Promise<Pick<FoundBefore, 'bytes' | 'source'> | undefined> {
    const text = noted.textOf(path);
    if (view.recommitted.has(path) && (text || !view.isLater)) {
      return undefined; // what is noted may count again, if a commit is undone
    }
    if (text) {
      return (await isLink(path)) ? undefined : { bytes: text, source: 'saved' };
    }
    const change = view.uncommitted.get(path);
    if (!change) {
      return undefined;
    }
    if (brought.has(path)) {
      await noted.take(path);
      return undefined;
    }
    // Unknown; or in a folder that was ignored, another repository, a submodule, a link, or that the user has deleted.
    if (noted.has(path) || noted.isAround(path) || isIn(view.replaced, path)) {
      return undefined;
    }
    if (change.isNew) {
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
    /** Listed as deleted, or what may count again when a commit is undone. */
    const known = new Set([...paths, ...view.recommitted]);
    /** What no revert brings back, and is nowhere as it was: whoever moved it may have written into it, too. */
    const missing = new Map([...gone.lost].filter(([path]) => !known.has(path)));
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

/** Another name for the same file, where case makes no difference. @param folder around it, which keeps its name */
function otherCase(folder: string, path: string): string {
  const swapped = [...path.slice(folder.length)].map((letter) => {
    const upper = letter.toUpperCase();
    return letter === upper ? letter.toLowerCase() : upper;
  });
  return folder + swapped.join('');
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
