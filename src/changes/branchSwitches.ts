import { basename } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { printable } from '../base/printable.ts';
import { Queue } from '../base/queue.ts';
import { counted } from '../base/text.ts';
import { Throttle } from '../base/throttle.ts';
import { editorGit, type GitApi, type GitRepository } from '../editor/editorGit.ts';
import type { Git } from '../server/git.ts';
import type { Changes } from './changes.ts';
import { firstTaken, type Snapshot } from './changeSet.ts';
import { type ChangeSets, realPathOf } from './changeSets.ts';
import type { ChangesSection } from './changesSection.ts';
import { type Head, mayHaveTaken, type Seen } from './gitSeen.ts';
import type { TreeGit } from './treeGit.ts';

/** Paths of files in a repository that were changed by agents and are as they were before, though nobody has decided about them. */
interface Away {
  /** All of them. */
  readonly gone: ReadonlySet<string>;
  /** Those that wait on another branch than this one. */
  readonly switched: ReadonlySet<string>;
  /** Those that wait in a stash. */
  readonly stashed: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/**
 * Says what git has taken from the list, where else it would be gone without a word: nobody has decided about it. What waits on
 * another branch, or in a stash, for as long as it does so; what a reset has taken, once.
 */
export class BranchSwitches implements Disposable {
  private readonly store = new DisposableStore();
  /** What Git told when it was last looked at, by the folder of the repository, as far as it is known. */
  private readonly seen = new Map<string, Seen>();
  private readonly away = new Map<string, Away>();
  private readonly queue = new Queue();
  private told: string | undefined;

  constructor(
    private readonly sets: ChangeSets,
    private readonly changes: Changes,
    private readonly git: Git,
    private readonly section: Pick<ChangesSection, 'tellAway'>,
  ) {
    const update = this.store.add(new Throttle(100, () => this.say()));
    this.store.add(changes.onDidChange(() => update.schedule()));
  }

  async start(): Promise<void> {
    const git = await editorGit();
    if (git) {
      this.store.add(git.onDidOpenRepository((repository) => this.follow(git, repository)));
      git.repositories.forEach((repository) => this.follow(git, repository));
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  private follow(git: GitApi, repository: GitRepository): void {
    const seen = seenOf(repository);
    if (seen) {
      this.seen.set(rootOf(repository), seen);
    }
    this.remember(git, repository);
    // What cannot be told is as it was: git is at work, or the folder is not trusted.
    const look = this.store.add(
      new Throttle(100, () => void this.queue.run(() => this.look(git, repository)).catch(() => {})),
    );
    this.store.add(repository.state.onDidChange(() => look.schedule()));
  }

  /** What was away as the window was left. */
  private remember(git: GitApi, repository: GitRepository): void {
    const away = this.gone(this.isIn(git, repository)).filter((snapshot) => snapshot.away);
    if (away.length > 0) {
      const pathsOf = (snapshots: readonly Snapshot[]) => new Set(snapshots.map(({ path }) => path));
      this.away.set(rootOf(repository), {
        gone: pathsOf(away),
        switched: pathsOf(away.filter((snapshot) => snapshot.away === 'branch')),
        stashed: pathsOf(away.filter((snapshot) => snapshot.away === 'stash')),
      });
      this.say();
    }
  }

  private isIn(git: GitApi, repository: GitRepository): (path: string) => boolean {
    const root = rootOf(repository);
    return (path) => {
      const around = git.getRepository(vscode.Uri.file(path));
      return around ? rootOf(around) === root : false;
    };
  }

  /** The editor's own Git has looked at what is there. */
  private async look(git: GitApi, repository: GitRepository): Promise<void> {
    const root = rootOf(repository);
    const last = this.seen.get(root);
    const now = seenOf(repository) ?? last;
    if (!now || this.sets.all.length === 0) {
      return this.put(root, now);
    }
    const known = this.away.get(root);
    // It tells after each save, too, and there may be thousands of files: what has changed the watcher tells, mostly.
    await this.changes.refresh(mayHaveTaken(last, now) ? undefined : (known?.gone ?? none));
    const gone = this.gone(this.isIn(git, repository));
    if (gone.length === 0) {
      return this.put(root, now);
    }
    const { TreeGit } = await import('./treeGit.ts');
    const tree = new TreeGit(realPathOf(repository.rootUri.fsPath), this.git);
    await tree.begin();
    if (tree.isAtWork()) {
      return; // it tells once more when that is done
    }
    const pathsIn = (paths: ReadonlySet<string>) =>
      new Set(gone.filter(({ path, real = path }) => paths.has(real)).map(({ path }) => path));
    const { head } = now;
    const lastHead = last?.head;
    const hasSwitched = lastHead !== undefined && lastHead.branch !== head.branch;
    const moved =
      hasSwitched && head.commit !== undefined ? pathsIn(await differing(tree, lastHead, head.commit)) : none;
    const stashed = pathsIn(await tree.stashedSince(Math.min(...gone.map(firstTaken))));
    const isNew = (path: string) => known?.gone.has(path) !== true;
    const paths = gone.map(({ path }) => path);
    const settled = await tree.settled(paths.filter(isNew));
    const switched = new Set([...(known?.switched ?? none), ...moved]);
    this.put(root, now, { gone: new Set(paths), switched, stashed });
    if (hasSwitched) {
      sayShortly(
        [...switched].filter((path) => this.isAway(path)),
        'on another branch: see Review',
      );
    }
    sayShortly([...stashed].filter(isNew), 'in a stash: see Review');
    const reset = settled.filter((path) => !switched.has(path) && !stashed.has(path));
    if (reset.length > 0) {
      vscode.window.setStatusBarMessage(
        `${filesOf(reset, 40)} ${reset.length === 1 ? 'is' : 'are'} as before agents’ edits`,
        10_000,
      );
    }
  }

  private put(root: string, seen: Seen | undefined, away?: Away): void {
    if (seen) {
      this.seen.set(root, seen);
    }
    if (away) {
      this.away.set(root, away);
    } else {
      this.away.delete(root);
    }
    this.say();
  }

  /** One snapshot of each file. */
  private gone(isIn: (path: string) => boolean): Snapshot[] {
    const gone = new Map<string, Snapshot>();
    for (const { snapshots } of this.sets.all) {
      for (const snapshot of snapshots.values()) {
        const { path } = snapshot;
        if (this.changes.hasDiffered(snapshot) && this.isAway(path) && isIn(path)) {
          gone.set(path, snapshot);
        }
      }
    }
    return [...gone.values()];
  }

  /** Over a reload. What is not known yet, before Git has told of its repository, stays as it is noted. */
  private note(away: ReadonlyMap<string, Snapshot['away']>): void {
    const known = new Set([...this.away.values()].flatMap(({ gone }) => [...gone]));
    let isOther = false;
    for (const { snapshots } of this.sets.all) {
      for (const snapshot of snapshots.values()) {
        const { path } = snapshot;
        const now = away.get(path) ?? (known.has(path) || !this.isAway(path) ? undefined : snapshot.away);
        if (now !== snapshot.away) {
          snapshot.away = now;
          isOther = true;
        }
      }
    }
    if (isOther) {
      this.sets.saveNow();
    }
  }

  /** Nobody has decided about it, and it is as it was before. */
  private isAway(path: string): boolean {
    return this.sets.ofPath(path).length > 0 && this.changes.ofPath(path).length === 0;
  }

  private say(): void {
    const still = (paths: ReadonlySet<string>) => [...paths].filter((path) => this.isAway(path));
    const away = new Map<string, Snapshot['away']>();
    const words: string[] = [];
    for (const [root, { switched, stashed }] of this.away) {
      const elsewhere = still(switched);
      const inStash = still(stashed).filter((path) => !switched.has(path));
      elsewhere.forEach((path) => away.set(path, 'branch'));
      inStash.forEach((path) => away.set(path, 'stash'));
      const branch = this.seen.get(root)?.head.branch ?? 'this branch';
      words.push(
        ...sentence(`On ${printable(branch, 60)}, `, elsewhere, 'switch back'),
        ...sentence('Since a stash, ', inStash, 'apply it'),
      );
    }
    this.sets.away = new Set(away.keys());
    this.note(away);
    const told = words.length > 0 ? words.join(' ') : undefined;
    if (told !== this.told) {
      this.told = told;
      this.section.tellAway(told);
    }
  }
}

/** None about no files. */
function sentence(where: string, paths: readonly string[], until: string): string[] {
  const [are, they, wait] = paths.length === 1 ? ['is', 'it', 'waits'] : ['are', 'they', 'wait'];
  return paths.length === 0
    ? []
    : [
        `${where}${filesOf(paths)} ${are} as before the edits of agents: ${they} ${wait} for review again once you ${until}.`,
      ];
}

/** In the status bar, which cuts off what is longer; the sentence stands in the view. */
function sayShortly(paths: readonly string[], where: string): void {
  if (paths.length > 0) {
    const wait = paths.length === 1 ? 'waits' : 'wait';
    vscode.window.setStatusBarMessage(`${filesOf(paths, 40)} ${wait} ${where}`, 10_000);
  }
}

function filesOf([first = '', ...others]: readonly string[], length = 200): string {
  return others.length === 0 ? printable(basename(first), length) : counted(others.length + 1, 'file');
}

/** That branch may have got a commit just before it was left; a commit that was left has no branch. */
function differing(tree: TreeGit, { branch, commit }: Head, now: string): Promise<ReadonlySet<string>> {
  const last = () => (commit === undefined ? none : tree.differing(commit, now));
  return tree.differing(`refs/heads/${branch}`, now).catch(last);
}

/** Git's API makes another object of one each time that it is asked. */
function rootOf({ rootUri }: GitRepository): string {
  return rootUri.toString();
}

/** Undefined before git has told of a commit or a branch. */
function seenOf({ state }: GitRepository): Seen | undefined {
  const { HEAD, indexChanges, mergeChanges, workingTreeChanges, untrackedChanges = [] } = state;
  const branch = HEAD?.name ?? HEAD?.commit?.slice(0, 8);
  if (branch === undefined) {
    return undefined;
  }
  const head: Head = { branch, commit: HEAD?.commit };
  const listed = [...indexChanges, ...mergeChanges, ...workingTreeChanges, ...untrackedChanges];
  return { head, listed: new Set(listed.map(({ uri }) => uri.path)) };
}
