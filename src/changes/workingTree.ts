import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { SnapshotSource } from './changeSet.ts';

const execute = promisify(execFile);

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
  source: SnapshotSource;
}

/**
 * What the files of a git work tree were before a shell command changed them: the last commit, except for the files
 * that differed from it when `note` was called.
 */
export class WorkingTree {
  /** Their bytes by path; undefined: too large to remember. */
  private differing: Map<string, Buffer | undefined> | undefined;

  /** @param folder absolute; the work tree or a folder in it. Outside of git nothing is ever found. */
  constructor(private readonly folder: string) {}

  /** Remembers what differs from the last commit at this moment. Never throws. */
  async note(): Promise<void> {
    try {
      const noted = new Map<string, Buffer | undefined>();
      let total = 0;
      for (const path of (await this.uncommitted([])).keys()) {
        const size = noted.size < maxFiles ? await sizeOf(path) : Infinity;
        const fits = size <= maxFileBytes && total + size <= maxTotalBytes;
        total += fits ? size : 0;
        noted.set(path, fits ? await readFile(path).catch(() => undefined) : undefined);
      }
      this.differing = noted;
    } catch {
      this.differing = undefined; // no repository, or none with a commit
    }
  }

  /** The user has saved this file: that is not an agent's work. */
  async noteFile(path: string): Promise<void> {
    if (this.differing) {
      const fits = (await sizeOf(path)) <= maxFileBytes;
      this.differing.set(path, fits ? await readFile(path).catch(() => undefined) : undefined);
    }
  }

  /**
   * Those of `paths` of which it is known what they were, and that git does not ignore. A file that a checkout, pull
   * or reset has changed equals the commit that is then the last one, and so is not found. Never throws.
   */
  async before(paths: readonly string[]): Promise<FoundBefore[]> {
    const { differing } = this;
    if (!differing || paths.length === 0 || paths.length > maxFiles) {
      return [];
    }
    try {
      const gitDir = (await this.git('rev-parse', '--absolute-git-dir')).toString().trim();
      if (signsOfWork.some((name) => existsSync(join(gitDir, name)))) {
        return [];
      }
      const changed = await this.uncommitted(paths);
      const found: FoundBefore[] = [];
      for (const path of paths.filter((candidate) => changed.has(candidate))) {
        const source = differing.has(path) ? 'saved' : 'git';
        const isNew = source === 'git' && changed.get(path);
        const bytes =
          source === 'saved' ? differing.get(path) : isNew ? undefined : await this.committed(path);
        if (isNew || bytes) {
          found.push({ path, bytes, source });
        }
      }
      return found;
    } catch {
      return [];
    }
  }

  /**
   * Tracked files that differ from the last commit, and untracked ones that are not ignored, each with whether that
   * commit lacks it. @param paths none: all
   */
  private async uncommitted(paths: readonly string[]): Promise<Map<string, boolean>> {
    let names = paths.map((path) => relative(this.folder, path));
    if (names.join().length > maxNamesLength) {
      names = []; // then git tells of all, and what was not asked for is not looked at
    }
    const [differing, untracked] = await Promise.all([
      this.fields('diff', '--name-status', '-z', '--no-renames', '--relative', 'HEAD', '--', ...names),
      this.fields('ls-files', '--others', '--exclude-standard', '-z', '--', ...names),
    ]);
    const found = new Map(untracked.map((name) => [resolve(this.folder, name), true]));
    for (let i = 0; i + 1 < differing.length; i += 2) {
      found.set(resolve(this.folder, differing[i + 1] ?? ''), differing[i] === 'A');
    }
    return found;
  }

  private async fields(...args: string[]): Promise<string[]> {
    return (await this.git(...args)).toString().split('\0').filter(Boolean);
  }

  /** As git would check it out, with its filters and line ends; undefined when it cannot. */
  private async committed(path: string): Promise<Buffer | undefined> {
    const name = relative(this.folder, path).replaceAll('\\', '/');
    return this.git('cat-file', '--filters', `HEAD:./${name}`).catch(() => undefined);
  }

  private async git(...args: string[]): Promise<Buffer> {
    const options = ['-C', this.folder, '--no-optional-locks', '--literal-pathspecs'];
    const { stdout } = await execute('git', [...options, ...args], {
      cwd: dirname(process.execPath), // Windows looks there for git first: not among the user's files
      windowsHide: true,
      encoding: 'buffer',
      maxBuffer: maxTotalBytes,
      timeout: 10_000,
    });
    return stdout;
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => Infinity,
  );
}
