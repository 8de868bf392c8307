import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Author } from '../../src/changes/changeSet.ts';
import { WorkingTree } from '../../src/changes/workingTree.ts';
import { World } from './changesWorld.ts';
import { trustedGit } from './trusted.ts';

/** What the user does with git, in the terminal or as Source Control does it. */
export const gitOperations = {
  commit: [
    ['add', '--all'],
    ['commit', '--message=more'],
  ],
  'commit what is staged': [['commit', '--message=more']],
  stage: [['add', '--all']],
  unstage: [['reset', '--quiet']],
  stash: [['stash', 'push', '--include-untracked']],
  'pop the stash': [['stash', 'pop']],
  'apply the stash': [['stash', 'apply']],
  'discard what is not staged': [
    ['checkout', '-q', '--', '.'],
    ['clean', '-f', '-q', '-d'],
  ],
  'reset --hard': [['reset', '--hard', '--quiet']],
  'undo the commit': [['reset', '--soft', 'HEAD~1']],
  'undo the commit, unstaged': [['reset', '--quiet', 'HEAD~1']],
  'go back one commit': [['reset', '--hard', '--quiet', 'HEAD~1']],
} as const;
export type GitOperation = keyof typeof gitOperations;
export const undoings = ['undo the commit', 'undo the commit, unstaged'] as const;

/** The same over a real repository, by which the edits of shell commands are found. */
export class GitWorld extends World {
  private tree = new WorkingTree(this.folder, trustedGit);
  private readonly told = new Set<string>();
  private writes = 0;
  /** What files were before edits by shell commands that were not found: a later one may be said to begin there. */
  private readonly missed = new Map<string, (string | undefined)[]>();

  constructor() {
    super();
    this.editor.onDidUse = (path) => this.told.add(path);
    this.git('init', '--quiet', '--initial-branch=main');
    gitOperations.commit.forEach((args) => this.git(...args));
  }

  /** The user sends a prompt. */
  async prompt(): Promise<void> {
    await this.tree.note();
    this.missed.clear();
  }

  override async shellEdits(author: Author, name: string, how: number): Promise<void> {
    const before = this.files.get(name);
    if (!this.agentWrites(author, name, how) || before === this.files.get(name)) {
      return;
    }
    if (this.review.isFollowed(this.path(name))) {
      return;
    }
    const [found] = (await this.tree.before([this.path(name)], (path) => this.review.isFollowed(path))) ?? [];
    const candidates = [before, ...(this.missed.get(name) ?? [])];
    const text = found?.bytes?.toString();
    if (!found || text === this.files.get(name)) {
      this.missed.set(name, candidates);
      return;
    }
    assert.ok(candidates.includes(text), `${name} was never ${JSON.stringify(text)} before a shell edit`);
    this.missed.delete(name);
    this.expect(author, name, text, 0);
    this.review.found(author, found.path, found, found.source);
  }

  /** Outside of every window. */
  userWritesInTerminal(name: string): void {
    this.write(name, `user in a terminal ${++this.writes}\n`);
    this.written.add(name);
    this.missed.delete(name);
    if (!this.review.isFollowed(this.path(name))) {
      this.tree.doubt(this.path(name));
    }
  }

  /** Outside of every window. */
  userRuns(operation: GitOperation): void {
    const before = this.files;
    gitOperations[operation].forEach((args) => this.git(...args)); // each may fail, as it may for the user
    const now = this.files;
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
      (name) => before.get(name) !== now.get(name),
    );
    for (const name of changed) {
      this.written.add(name);
      this.missed.delete(name);
      if (existsSync(this.path(name))) {
        this.editor.touch(this.path(name));
      }
    }
    const paths = changed.map((name) => this.path(name));
    paths.filter((path) => !this.review.isFollowed(path)).forEach((path) => this.tree.doubt(path));
  }

  /** Few sequences would come upon this pair by themselves. */
  userCommitsAndUndoes(how: (typeof undoings)[number]): void {
    this.userRuns('commit');
    this.userRuns(how);
  }

  override reload(): void {
    super.reload();
    this.tree = new WorkingTree(this.folder, trustedGit);
  }

  override crash(): void {
    super.crash();
    this.tree = new WorkingTree(this.folder, trustedGit);
  }

  override async check(): Promise<void> {
    for (const path of this.told) {
      await this.tree.noteFile(path);
      for (const name of [...this.missed.keys()]) {
        if (this.path(name).startsWith(path)) {
          this.missed.delete(name);
        }
      }
    }
    this.told.clear();
    await super.check();
  }

  private git(...args: string[]): void {
    const names = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'gc.auto=0'];
    spawnSync('git', ['-C', this.folder, ...names, ...args], { stdio: 'ignore' });
  }
}
