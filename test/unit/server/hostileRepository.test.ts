import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WorkingTree } from '../../../src/changes/workingTree.ts';
import { checkIgnore } from '../../../src/sharing/checkIgnore.ts';
import { trustedGit } from '../../support/trusted.ts';

describe('a hostile repository', function () {
  this.timeout(30_000);
  let root: string;
  let folder: string;
  let marks: string;

  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'protocol.file.allow=always', ...args],
      { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    ).trim();
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  /** A program that leaves a mark and passes its input on. */
  const program = (name: string) => {
    const path = join(root, name);
    writeFileSync(path, `#!/bin/sh\necho "$@" >> "${join(marks, name)}"\nexec cat\n`, { mode: 0o755 });
    return path;
  };

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'ide-bridge-hostile-')));
    [folder, marks] = [join(root, 'folder'), join(root, 'marks')];
    [folder, marks].forEach((path) => mkdirSync(path));
    git('init', '--quiet', '--initial-branch=main');
    write('a.txt', 'committed\n');
    write('b.bin', 'committed\n');
    git('add', '--all');
    git('commit', '--quiet', '--message=first');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** Everything that is ever asked of git. @returns what was found of a.txt */
  async function ask(): Promise<string | undefined> {
    await checkIgnore(trustedGit, folder, ['a.txt', 'b.bin']);
    const tree = new WorkingTree(folder, trustedGit);
    await tree.note();
    const paths = ['a.txt', 'b.bin', 'new.txt'].map((name) => join(folder, name));
    paths.forEach((path) => writeFileSync(path, 'changed\n'));
    const found = await tree.before(paths);
    return found?.find(({ path }) => path === paths[0])?.bytes?.toString();
  }

  const ran = () => readdirSync(marks);
  /** Git does not trust its index about a file as old as the index itself: it reads the file, by its filters. */
  const makeStale = () => utimesSync(join(folder, 'b.bin'), 0, 0);

  it('runs no fsmonitor', async () => {
    git('config', 'core.fsmonitor', program('fsmonitor'));
    assert.equal(await ask(), 'committed\n');
    assert.deepEqual(ran(), []);
  });

  for (const kind of ['clean', 'smudge', 'process']) {
    it(`runs no ${kind} filter, and does not tell what a file with one was`, async () => {
      git('config', `filter.a.${kind}`, program(kind));
      git('config', 'filter.a.required', 'true');
      write('.git/info/attributes', '*.bin filter=a\n');
      makeStale();
      const tree = new WorkingTree(folder, trustedGit);
      await tree.note();
      write('b.bin', 'changed\n');
      write('a.txt', 'changed\n');
      write('moved.bin', 'looked for in git\n');
      utimesSync(join(folder, 'moved.bin'), 0, 0);
      const names = ['a.txt', 'b.bin', 'moved.bin'];
      const found = await tree.before(names.map((name) => join(folder, name)));
      assert.deepEqual(
        found?.map(({ path, bytes }) => [path, bytes?.toString()]),
        [[join(folder, 'a.txt'), 'committed\n']],
      );
      assert.deepEqual(ran(), []);
    });
  }

  it('is not asked where the name of its filter cannot be overridden', async () => {
    git('config', 'filter.a=b.clean', program('clean'));
    write('.git/info/attributes', '*.bin filter=a=b\n');
    makeStale();
    assert.equal(await ask(), undefined);
    assert.deepEqual(ran(), []);
  });

  it('runs no external diff, no textconv and no pager', async () => {
    git('config', 'diff.external', program('external'));
    git('config', 'diff.a.command', program('command'));
    git('config', 'diff.a.textconv', program('textconv'));
    git('config', 'core.pager', program('pager'));
    git('config', 'pager.diff', 'true');
    write('.git/info/attributes', '* diff=a\n');
    assert.equal(await ask(), 'committed\n');
    assert.deepEqual(ran(), []);
  });

  it('runs no hook', async () => {
    program('post-index-change');
    git('config', 'core.hooksPath', root);
    makeStale();
    assert.equal(await ask(), 'committed\n');
    assert.deepEqual(ran(), []);
  });

  it('has no signature of a stash verified', async () => {
    const commit = `tree ${git('rev-parse', 'HEAD^{tree}')}\nauthor t <t@e> 1 +0000\ncommitter t <t@e> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nm\n`;
    writeFileSync(join(root, 'commit'), commit);
    const hash = git('hash-object', '-t', 'commit', '-w', join(root, 'commit'));
    git('update-ref', '--create-reflog', '-m', 'x', 'refs/stash', hash);
    git('config', 'gpg.program', program('gpg'));
    git('config', 'log.showSignature', 'true');
    assert.equal(await ask(), 'committed\n');
    assert.deepEqual(ran(), []);
  });

  it('fetches nothing that it lacks', async () => {
    const blob = git('rev-parse', 'HEAD:a.txt');
    rmSync(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    git('config', 'core.repositoryFormatVersion', '1');
    git('config', 'extensions.partialClone', 'origin');
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'remote.origin.url', `ext::${program('fetch')}`);
    git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    git('config', 'protocol.ext.allow', 'always');
    assert.equal(await ask(), undefined);
    assert.deepEqual(ran(), []);
  });

  it('runs nothing that a submodule names', async () => {
    git('init', '--quiet', 'module');
    write('module/m.bin', 'committed\n');
    git('-C', 'module', 'add', '--all');
    git('-C', 'module', 'commit', '--quiet', '--message=theirs');
    git('add', '--no-warn-embedded-repo', 'module');
    git('commit', '--quiet', '--message=second');
    git('-C', 'module', 'config', 'core.fsmonitor', program('fsmonitor'));
    git('-C', 'module', 'config', 'filter.a.clean', program('clean'));
    write('module/.git/info/attributes', '*.bin filter=a\n');
    write('module/m.bin', 'otherwise\n');
    assert.equal(await ask(), 'committed\n');
    assert.deepEqual(ran(), []);
  });

  it('that is bare and lies among the files is not read', async () => {
    git('init', '--quiet', '--bare', 'docs');
    git('-C', 'docs', 'config', 'core.bare', 'false');
    git('-C', 'docs', 'config', 'core.worktree', folder);
    git('-C', 'docs', 'config', 'core.fsmonitor', program('fsmonitor'));
    assert.equal(await checkIgnore(trustedGit, join(folder, 'docs'), ['a.txt']), undefined);
    assert.deepEqual(ran(), []);
  });

  it('elsewhere, to which a .git file points, names nothing that is run', async () => {
    git('config', 'core.fsmonitor', program('fsmonitor'));
    execFileSync('mv', [join(folder, '.git'), join(root, 'elsewhere')]);
    write('.git', `gitdir: ${join(root, 'elsewhere')}\n`);
    assert.equal(await ask(), 'committed\n');
    assert.deepEqual(ran(), []);
  });

  it('is not another one that the environment of the editor names', async () => {
    process.env.GIT_DIR = join(root, 'nowhere');
    try {
      assert.equal(await ask(), 'committed\n');
    } finally {
      delete process.env.GIT_DIR;
    }
  });
});
