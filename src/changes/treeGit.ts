import { existsSync } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Git, GitOptions } from '../server/git.ts';
import { describe } from './changes.ts';
import { withIndexCopy } from './indexCopy.ts';

/** Windows takes command lines of 32,767 characters; git takes names by stdin in few of its commands. */
const maxNamesLength = 20_000;
/** Beyond that, content is not looked for in git. */
const maxHashedBytes = 32 * 1024 * 1024;

/** The newest, of which is asked what is in them. */
const maxStashes = 20;
const treeDiff = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--relative'];

/** What git leaves in its folder while it writes. */
const lock = 'index.lock';
/** The same, and what it leaves there while it waits for the user to resolve something. */
const signsOfWork = [lock, 'MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

/** What changes in git's folder when git has changed files. */
export interface GitState {
  /** See `TreeGit.index`. */
  readonly index: string;
  /** Empty: there are none. */
  readonly stashes: string;
  /** Another one whenever a stash came or went, also if the same ones are there again. */
  readonly stashing: string;
}

/** How a file differs from the last commit. */
export interface Uncommitted {
  /** That commit lacks it. */
  readonly isNew: boolean;
  /** That commit has it as a program. */
  readonly isExecutable: boolean;
}

/** Some files, as git sees them now. All paths are absolute. */
export interface GitView {
  readonly uncommitted: ReadonlyMap<string, Uncommitted>;
  /** Have another committed text than at an earlier commit. */
  readonly recommitted: ReadonlySet<string>;
  /** That commit is still part of the history, so that all since then has only been added. */
  readonly isLater: boolean;
  /** Of all files: committed ones that are gone, or became a link or a submodule. */
  readonly replaced: ReadonlySet<string>;
  /** Have a filter, by the attributes. */
  readonly filtered: ReadonlySet<string>;
}

/** What git knows of the files in one folder. No filter is ever run. */
export class TreeGit {
  /** As configured when the look began. */
  private filters: readonly string[] = [];
  private gitDir = '';

  /** @param folder absolute; the work tree or a folder in it */
  constructor(
    private readonly folder: string,
    private readonly git: Git,
  ) {}

  /** Comes before all else in every look: what is configured may have changed. */
  async begin(): Promise<GitState> {
    this.filters = await this.git.filters(this.folder);
    const [gitDir, commonDir, stashes] = await Promise.all([
      this.text('rev-parse', '--absolute-git-dir'),
      this.text('rev-parse', '--git-common-dir'),
      // Not by "stash list", which is a log: one can be configured to verify signatures, by any program.
      this.text('rev-list', '--walk-reflogs', '--ignore-missing', 'refs/stash', '--'),
    ]);
    this.gitDir = gitDir;
    // In that folder the stash is locked; branches have one of their own.
    const refs = await describe(resolve(this.folder, commonDir, 'refs'));
    return { index: await this.index(), stashes, stashing: refs.stamp };
  }

  /** Another one whenever git has written the index. */
  async index(): Promise<string> {
    return (await describe(join(this.gitDir, 'index'))).stamp;
  }

  /** That is over in a moment, as a rule. */
  isWriting(): boolean {
    return existsSync(join(this.gitDir, lock));
  }

  isAtWork(): boolean {
    return signsOfWork.some((name) => existsSync(join(this.gitDir, name)));
  }

  head(): Promise<string> {
    return this.text('rev-parse', 'HEAD');
  }

  /** Files that git ignores, and folders of which it ignores all. */
  ignored(): Promise<Set<string>> {
    return this.paths('ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z');
  }

  /**
   * Tracked files of which git was told not to look at what is on the disk: it may be anything. Not those of a sparse
   * checkout, which are not there.
   */
  async overlooked(): Promise<string[]> {
    const entries = fieldsOf(await this.run(['ls-files', '-v', '-z'])); // a letter, a space, the name
    return entries
      .filter((entry) => /^[a-zS] /.test(entry))
      .map((entry) => resolve(this.folder, entry.slice(2)))
      .filter((path) => existsSync(path));
  }

  /** @param paths files or folders; all by default, and where a command line cannot hold them */
  uncommittedIn(paths: readonly string[] = []): Promise<Map<string, Uncommitted>> {
    return withIndexCopy(this.gitDir, (copy) => this.uncommitted(copy, paths));
  }

  /** @param commit an earlier one */
  view(paths: readonly string[], commit: string): Promise<GitView> {
    return withIndexCopy(this.gitDir, async (copy) => {
      const [uncommitted, recommitted, isLater, replaced, filtered] = await Promise.all([
        this.uncommitted(copy, paths),
        this.diff(copy, commit, 'HEAD', '--'),
        this.run(['merge-base', '--is-ancestor', commit, 'HEAD']).then(Boolean, () => false),
        this.diff(copy, '--diff-filter=DT', 'HEAD', '--'),
        this.filtered(paths),
      ]);
      const keysOf = (map: ReadonlyMap<string, string>) => new Set(map.keys());
      return {
        uncommitted,
        recommitted: keysOf(recommitted),
        isLater,
        replaced: keysOf(replaced),
        filtered,
      };
    });
  }

  /** As git would check it out, with its line ends and encoding; undefined when it cannot. */
  async committed(path: string): Promise<Buffer | undefined> {
    return this.run(['cat-file', '--filters', `HEAD:./${this.nameOf(path)}`]).catch(() => undefined);
  }

  /** Of these files those that git has written, or found to be as it knows them, since somebody else did. */
  async settled(paths: readonly string[]): Promise<string[]> {
    const times = paths.map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => Infinity,
      ),
    );
    const [index, ...all] = await Promise.all([stat(join(this.gitDir, 'index')), ...times]);
    return paths.filter((_, i) => (all[i] ?? Infinity) <= index.mtimeMs);
  }

  /** Files of which two commits have different texts. */
  differing(commit: string, other: string): Promise<Set<string>> {
    return this.paths(...treeDiff, commit, other, '--');
  }

  /** Files that stashes have which were made at that time or later. @param since ms since the epoch */
  async stashedSince(since: number): Promise<Set<string>> {
    const found = await this.text(
      'rev-list',
      '--walk-reflogs',
      '--ignore-missing',
      '--timestamp',
      `--max-count=${maxStashes}`,
      'refs/stash',
      '--',
    );
    const stashes = found.split('\n').flatMap((line) => {
      const [time, commit] = line.split(' ');
      return commit !== undefined && Number(time) >= Math.floor(since / 1000) ? [commit] : [];
    });
    const files = stashes.flatMap((stash) => [
      this.differing(`${stash}^1`, stash),
      this.paths(...treeDiff, '--root', '--no-commit-id', `${stash}^3`, '--').catch(() => []), // without untracked ones
    ]);
    return new Set((await Promise.all(files)).flatMap((each) => [...each]));
  }

  /** Those that the last commit has there. */
  async committedIn(paths: readonly string[]): Promise<string[]> {
    const found = await this.paths('ls-tree', '-r', '--name-only', '-z', 'HEAD', '--', ...this.names(paths));
    return [...found].filter((file) => paths.some((path) => file.startsWith(path + sep)));
  }

  /** Files that a commit has there, at least these. */
  async committedOf(paths: readonly string[], commit: string): Promise<ReadonlySet<string>> {
    return paths.length === 0
      ? new Set()
      : this.paths('ls-tree', '-r', '--name-only', '-z', commit, '--', ...this.names(paths));
  }

  /** Files that are tracked, or that the last commit has, by names which differ from these in case at most. */
  namedAlike(paths: readonly string[]): Promise<Set<string>> {
    // Case is known to git in ASCII only; and these are patterns, unlike all others here: at its start `:` has a meaning.
    const patternOf = (name: string) => name.replace(/[[*?]/g, '[$&]').replace(/[^ -~]+|\\/g, '*');
    const names = this.names(paths).map((name) => `./${patternOf(name)}`);
    return this.paths('--icase-pathspecs', 'ls-files', '--with-tree=HEAD', '-z', '--', ...names);
  }

  /** Those of which git has the content, wherever. */
  async withKnownContent(paths: readonly string[]): Promise<Set<string>> {
    const files: string[] = [];
    let total = 0;
    for (const path of paths.filter((each) => !each.includes('\n'))) {
      const found = await lstat(path);
      total += found.isFile() ? found.size : 0;
      if (found.isFile() && total <= maxHashedBytes) {
        files.push(path);
      }
    }
    if (files.length === 0) {
      return new Set();
    }
    try {
      const hashes = await this.run(['hash-object', '--stdin-paths'], { input: lines(files) });
      const found = await this.run(['cat-file', '--batch-check'], { input: hashes.toString() });
      const answers = found.toString().split('\n');
      return new Set(files.filter((_, index) => / blob \d+$/.test(answers[index] ?? '')));
    } catch {
      return new Set(); // one is gone again, or a partial clone would have to fetch
    }
  }

  /**
   * Tracked files that differ from the last commit, and untracked ones that are not ignored; no links and submodules,
   * which have no bytes of their own.
   * @param index a copy @param paths none: all
   */
  private async uncommitted(index: string, paths: readonly string[]): Promise<Map<string, Uncommitted>> {
    const names = this.names(paths);
    const [differing, untracked] = await Promise.all([
      this.diff(index, 'HEAD', '--', ...names),
      this.paths('ls-files', '--others', '--exclude-standard', '-z', '--', ...names),
    ]);
    const found = new Map([...untracked].map((path) => [path, { isNew: true, isExecutable: false }]));
    for (const [path, modes] of differing) {
      if (/^:1[26]/.test(modes)) {
        found.delete(path);
      } else {
        found.set(path, {
          isNew: modes.startsWith(':0'),
          isExecutable: modes.startsWith(':100755'),
        });
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

  private async filtered(paths: readonly string[]): Promise<Set<string>> {
    const input = paths.map((path) => `${this.nameOf(path)}\0`).join('');
    const output = await this.run(['check-attr', '--stdin', '-z', 'filter'], { input });
    const fields = output.toString().split('\0');
    // Three for each: its name, that of the attribute, and the value.
    const has = (value = '') => !['unspecified', 'unset'].includes(value);
    return new Set(paths.filter((_, index) => has(fields[index * 3 + 2])));
  }

  /** For a command line; none, for all, where it cannot hold them: what was not asked for is not looked at. */
  private names(paths: readonly string[]): string[] {
    const names = paths.map((path) => this.nameOf(path));
    return names.join().length > maxNamesLength ? [] : names;
  }

  /** As git calls it when it is started in the folder. */
  private nameOf(path: string): string {
    return relative(this.folder, path).replaceAll(sep, '/');
  }

  private async paths(...args: string[]): Promise<Set<string>> {
    return new Set(fieldsOf(await this.run(args)).map((name) => resolve(this.folder, name)));
  }

  private async text(...args: string[]): Promise<string> {
    return (await this.run(args)).toString().trimEnd();
  }

  private async run(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
    const pathspecs = args[0]?.endsWith('-pathspecs') ? [] : ['--literal-pathspecs'];
    const { code, stdout, stderr } = await this.git.run(this.folder, [...pathspecs, ...args], {
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

function lines(items: readonly string[]): string {
  return items.map((item) => `${item}\n`).join('');
}
