import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { TreeGit } from '../../../src/changes/treeGit.ts';
import { trustedGit } from '../../support/trusted.ts';

describe('what git has taken away', function () {
  this.timeout(30_000);
  let folder: string;
  let tree: TreeGit;

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: folder })
      .toString()
      .trim();
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  const names = (paths: Iterable<string>) => [...paths].map((path) => basename(path)).sort();
  const commit = () => {
    git('add', '--all');
    git('commit', '--quiet', '--message=now');
    return git('rev-parse', 'HEAD');
  };

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'ide-bridge-git-')));
    git('init', '--quiet');
    ['a.txt', 'b ü.txt'].forEach((name) => write(name, 'before\n'));
    commit();
    tree = new TreeGit(folder, trustedGit);
    await tree.begin();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is in the stashes that were made since then, with what git did not know', async () => {
    assert.deepEqual(names(await tree.stashedSince(0)), []);
    write('b ü.txt', 'after\n');
    git('stash', '--quiet');
    write('new.txt', 'new\n');
    git('stash', '--quiet', '--include-untracked');
    assert.deepEqual(names(await tree.stashedSince(Date.now() - 60_000)), ['b ü.txt', 'new.txt']);
    assert.deepEqual(names(await tree.stashedSince(Date.now() + 60_000)), []);
    git('stash', 'drop', '--quiet');
    assert.deepEqual(names(await tree.stashedSince(0)), ['b ü.txt']);
  });

  it('differs between two commits', async () => {
    const first = git('rev-parse', 'HEAD');
    write('a.txt', 'after\n');
    assert.deepEqual(names(await tree.differing(first, commit())), ['a.txt']);
  });

  it('was written before git has written its index', async () => {
    const path = join(folder, 'a.txt');
    assert.deepEqual(await tree.settled([path, join(folder, 'none.txt')]), [path]);
    const later = new Date(Date.now() + 60_000);
    utimesSync(path, later, later);
    assert.deepEqual(await tree.settled([path]), []);
  });
});
