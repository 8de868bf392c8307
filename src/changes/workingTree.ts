import { existsSync } from 'node:fs';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Git, GitOptions } from '../server/git.ts';
import { describe } from './changes.ts';
import type { SnapshotSource } from './changeSet.ts';
import { withIndexCopy } from './indexCopy.ts';

/** Beyond these, the rest is taken as unknown: this is kept in memory. */
const maxFiles = 500;
const maxFileBytes = 1024 * 1024;
const maxTotalBytes = 32 * 1024 * 1024;

/** Windows takes command lines of 32,767 characters; git takes names by stdin in few of its commands. */
const maxNamesLength = 20_000;

/** What git leaves in its folder while it works, or while it waits for the user to resolve something. */
const signsOfWork = [
  'index.lock',
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
];

export interface FoundBefore {
  path: string;
  /** Undefined: there was no file. */
  bytes: Buffer | undefined;
  /** Permissions; undefined: those that a file has as a rule, or that it has now. */
  mode: number | undefined;
  source: SnapshotSource;
}

interface Noted {
  /** See `indexOf`. */
  readonly index: string;
  readonly head: string;
  readonly stashes: string;
  /** By path, with those that git ignores. Undefined: not known, as of what is too large, or of a whole folder. */
  readonly differing: Map<string, Buffer | undefined>;
}

/**
 * What the files of a git work tree were before a shell command changed them: the last commit, except for the files
 * that differed from it when `note` was called. To revert one that is listed wrongly would lose it: where there is
 * any doubt, none is found. No filter is ever run, so a file that has one is such a doubt.
 */
export class WorkingTree {
  private noted: Noted | undefined;
  /** As configured at the last look. */
  private filters: readonly string[] = [];

  /** @param folder absolute; the work tree or a folder in it. Outside of git nothing is ever found. */
  constructor(
    private readonly folder: string,
    private readonly git: Git,
  ) {}

  /** Remembers what differs from the last commit at this moment. Never throws. */
  async note(): Promise<void> {
    try {
      this.filters = await this.git.filters(this.folder);
      const gitDir = await this.gitDir();
      const index = await indexOf(gitDir);
      const [uncommitted, head, stashes, ignored] = await Promise.all([
        withIndexCopy(gitDir, (copy) => this.uncommitted(copy, [])),
        this.text('rev-parse', 'HEAD'),
        this.stashes(),
        this.fields('ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'),
      ]);
      const differing = new Map<string, Buffer | undefined>();
      let total = 0;
      for (const path of uncommitted.keys()) {
        const max = Math.min(maxFileBytes, maxTotalBytes - total);
        const bytes = differing.size < maxFiles ? await contentOf(path, max) : undefined;
        total += bytes?.length ?? 0;
        differing.set(path, bytes);
      }
      ignored.forEach((name) => differing.set(resolve(this.folder, name), undefined));
      this.noted = { index, head, stashes, differing };
    } catch {
      this.noted = undefined; // no repository, or none with a commit
    }
  }

  /** The user has saved this file, or deleted or moved this file or folder: that is not an agent's work. */
  async noteFile(path: string): Promise<void> {
    const bytes = await contentOf(path, maxFileBytes);
    const { differing } = this.noted ?? {};
    [...(differing?.keys() ?? [])]
      .filter((each) => each.startsWith(path + sep))
      .forEach((each) => differing?.delete(each));
    differing?.set(path, bytes);
  }

  /** Somebody else may have written these: what they were is not known until they are noted again. */
  doubt(paths: readonly string[]): void {
    paths.forEach((path) => this.noted?.differing.set(path, undefined));
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
      this.filters = await this.git.filters(this.folder);
      const gitDir = await this.gitDir();
      const index = await indexOf(gitDir);
      if (
        signsOfWork.some((name) => existsSync(join(gitDir, name))) ||
        (await this.stashes()) !== noted.stashes
      ) {
        return [];
      }
      // To apply one leaves no other sign. What is there then is the user's, as far as one can tell.
      if (noted.stashes !== '' && index !== noted.index) {
        await this.note();
        return [];
      }
      const [changed, tracked, unstaged, moved, gone, filtered] = await withIndexCopy(gitDir, (copy) =>
        Promise.all([
          this.uncommitted(copy, paths),
          this.fields('ls-files', '-z', '--', ...this.names(paths)),
          this.diff(copy, '--', ...this.names(paths)),
          this.diff(copy, noted.head, 'HEAD', '--'),
          this.diff(copy, '--diff-filter=DT', 'HEAD', '--'),
          this.filtered(paths),
        ]),
      );
      const lost = [...noted.differing].flatMap(([path, bytes]) =>
        bytes && !existsSync(path) && !isKept(path) ? [bytes] : [],
      );
      const staged = new Set(tracked.map((name) => resolve(this.folder, name)));
      for (const path of paths.filter((candidate) => !changed.has(candidate) && !moved.has(candidate))) {
        // As committed again, by whomever, and not in a commit since, which may be undone; or ignored, as the
        // undefined ones may be.
        if (noted.differing.get(path) !== undefined) {
          if (staged.has(path)) {
            noted.differing.delete(path);
          } else {
            noted.differing.set(path, undefined); // gone: what comes there is not new
          }
        }
      }
      [...unstaged.keys()].forEach((path) => staged.delete(path));
      const found: FoundBefore[] = [];
      for (const path of paths.filter((candidate) => changed.has(candidate) && !moved.has(candidate))) {
        const isSaved = noted.differing.has(path);
        const { isNew: isUntracked = false, isExecutable = false } = changed.get(path) ?? {};
        const isNew = !isSaved && isUntracked;
        const isMoved = isUntracked && noted.differing.get(path) === undefined && (await isOneOf(lost, path));
        if (isMoved || (staged.has(path) && !isNew)) {
          await this.noteFile(path);
          continue;
        }
        const bytes = isSaved
          ? noted.differing.get(path)
          : isNew || filtered.has(path)
            ? undefined
            : await this.committed(path);
        // Not known: in a folder that was ignored, another repository, a submodule, a link, or that the user has deleted.
        const isKnown = isSaved || (!isIn(noted.differing, path) && !isIn(gone, path));
        if (isKnown && (isNew || (bytes && !(await isLink(path))))) {
          const mode = isExecutable && !existsSync(path) ? 0o777 & ~process.umask() : undefined;
          found.push({ path, bytes, mode, source: isSaved ? 'saved' : 'git' });
        }
      }
      return (await indexOf(gitDir)) === index ? found : []; // else git has worked meanwhile
    } catch {
      return [];
    }
  }

  /** For a command line; none, for all, where it cannot hold them: what was not asked for is not looked at. */
  private names(paths: readonly string[]): string[] {
    const names = paths.map((path) => this.nameOf(path));
    return names.join().length > maxNamesLength ? [] : names;
  }

  private gitDir(): Promise<string> {
    return this.text('rev-parse', '--absolute-git-dir');
  }

  /**
   * Tracked files that differ from the last commit, and untracked ones that are not ignored, each with whether that
   * commit lacks it, or has it as a program; no links and submodules, which have no bytes of their own.
   * @param index a copy @param paths none: all
   */
  private async uncommitted(
    index: string,
    paths: readonly string[],
  ): Promise<Map<string, { isNew: boolean; isExecutable: boolean }>> {
    const names = this.names(paths);
    const [differing, untracked] = await Promise.all([
      this.diff(index, 'HEAD', '--', ...names),
      this.fields('ls-files', '--others', '--exclude-standard', '-z', '--', ...names),
    ]);
    const found = new Map(
      untracked.map((name) => [resolve(this.folder, name), { isNew: true, isExecutable: false }]),
    );
    for (const [path, modes] of differing) {
      if (/^:1[26]/.test(modes)) {
        found.delete(path);
      } else {
        found.set(path, { isNew: modes.startsWith(':0'), isExecutable: modes.startsWith(':100755') });
      }
    }
    return found;
  }

  /** By path, what begins with a colon and the file's mode before. @param index a copy */
  private async diff(index: string, ...args: string[]): Promise<Map<string, string>> {
    const format = ['--raw', '-z', '--no-renames', '--relative', '--no-ext-diff', '--no-textconv'];
    // Whether a submodule has changes git asks in it, by what that one configures.
    const output = await this.run(['diff', ...format, '--ignore-submodules=dirty', ...args], { index });
    const fields = fieldsOf(output);
    const found = new Map<string, string>();
    for (let i = 0; i + 1 < fields.length; i += 2) {
      found.set(resolve(this.folder, fields[i + 1] ?? ''), fields[i] ?? '');
    }
    return found;
  }

  /** Those that have a filter, by the attributes. */
  private async filtered(paths: readonly string[]): Promise<Set<string>> {
    const input = paths.map((path) => `${this.nameOf(path)}\0`).join('');
    const output = await this.run(['check-attr', '--stdin', '-z', 'filter'], { input });
    const fields = output.toString().split('\0');
    // Three for each: its name, that of the attribute, and the value.
    const has = (value = '') => !['unspecified', 'unset'].includes(value);
    return new Set(paths.filter((_, index) => has(fields[index * 3 + 2])));
  }

  /** Not by "stash list", which is a log: one can be configured to verify signatures, by any program. */
  private stashes(): Promise<string> {
    return this.text('rev-list', '--walk-reflogs', '--ignore-missing', 'refs/stash', '--');
  }

  private async fields(...args: string[]): Promise<string[]> {
    return fieldsOf(await this.run(args));
  }

  private async text(...args: string[]): Promise<string> {
    return (await this.run(args)).toString().trimEnd();
  }

  /** As git would check it out, with its line ends and encoding; undefined when it cannot. */
  private async committed(path: string): Promise<Buffer | undefined> {
    return this.run(['cat-file', '--filters', `HEAD:./${this.nameOf(path)}`]).catch(() => undefined);
  }

  /** As git calls it when it is started in the folder. */
  private nameOf(path: string): string {
    return relative(this.folder, path).replaceAll(sep, '/');
  }

  private async run(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
    const { code, stdout, stderr } = await this.git.run(this.folder, ['--literal-pathspecs', ...args], {
      filters: this.filters,
      ...options,
    });
    if (code !== 0) {
      throw new Error(stderr);
    }
    return stdout;
  }
}

function fieldsOf(output: Buffer): string[] {
  return output.toString().split('\0').filter(Boolean);
}

/** Another one whenever git has written the index. */
async function indexOf(gitDir: string): Promise<string> {
  return (await describe(join(gitDir, 'index'))).stamp;
}

/** Undefined for what is larger, or not a file. */
async function contentOf(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() && found.size <= maxBytes ? readFile(path).catch(() => undefined) : undefined;
}

async function isOneOf(contents: readonly Buffer[], path: string): Promise<boolean> {
  const content = contents.length > 0 ? await contentOf(path, maxFileBytes) : undefined;
  return content !== undefined && contents.some((each) => each.equals(content));
}

/** To put bytes back would write what it points to. */
function isLink(path: string): Promise<boolean> {
  return readlink(path).then(
    () => true,
    () => false,
  );
}

/** Whether one of the folders around it is among these. */
function isIn(folders: Pick<ReadonlySet<string>, 'has'>, path: string): boolean {
  const parent = dirname(path);
  return parent !== path && (folders.has(parent) || isIn(folders, parent));
}
