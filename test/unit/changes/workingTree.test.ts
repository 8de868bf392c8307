import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkingTree } from '../../../src/changes/workingTree.ts';
import { trustedGit } from '../../support/trusted.ts';

describe('a work tree', function () {
  this.timeout(30_000);
  let folder: string;
  let tree: WorkingTree;

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: folder });
  const path = (name: string) => join(folder, name);
  const write = (name: string, content: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), content);
  };

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'ide-bridge-tree-')));
    tree = new WorkingTree(folder, trustedGit);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function commit(): void {
    git('init', '--quiet', '--initial-branch=main');
    write('.gitignore', 'ignored/\n.env\n');
    write('a.txt', 'committed\n');
    write('sub dir/ü [1].txt', 'committed too\n');
    git('add', '--all');
    git('commit', '--quiet', '--message=first');
  }

  async function found(...names: string[]): Promise<string[]> {
    const before = await tree.before(names.map(path));
    assert.ok(before, 'git does not write');
    return before.map(
      (file) =>
        `${file.path.slice(folder.length + 1)} ${file.source} ${JSON.stringify(file.bytes?.toString())}`,
    );
  }

  it('finds the committed text of changed and deleted files, and none of new ones', async () => {
    commit();
    await tree.note();
    write('a.txt', 'changed\n');
    write('new.txt', 'new\n');
    unlinkSync(path('sub dir/ü [1].txt'));
    assert.deepEqual(await found('a.txt', 'new.txt', 'sub dir/ü [1].txt'), [
      'a.txt git "committed\\n"',
      'new.txt git undefined',
      'sub dir/ü [1].txt git "committed too\\n"',
    ]);
  });

  it('finds what was staged, or not committed, of a file that an agent writes and stages, or discards', async () => {
    commit();
    write('a.txt', 'mine\n');
    write('sub dir/ü [1].txt', 'staged\n');
    git('add', 'sub dir');
    write('sub dir/ü [1].txt', 'staged, and more\n');
    write('untracked.txt', 'mine\n');
    await tree.note();
    git('checkout', '--quiet', '--', '.');
    git('clean', '--quiet', '--force');
    write('made.txt', 'new\n');
    git('add', 'made.txt');
    assert.deepEqual(await found('a.txt', 'sub dir/ü [1].txt', 'untracked.txt', 'made.txt'), [
      'a.txt saved "mine\\n"',
      'sub dir/ü [1].txt saved "staged, and more\\n"',
      'untracked.txt saved "mine\\n"',
      'made.txt git undefined',
    ]);
  });

  it('finds what was there before what an agent applies of a stash, which is still in it', async () => {
    commit();
    write('a.txt', 'stashed\n');
    git('stash', '--quiet');
    await tree.note();
    git('stash', 'apply', '--quiet');
    assert.deepEqual(await found('a.txt'), ['a.txt git "committed\\n"']);
  });

  it('knows of a deleted file whether it may be executed', async () => {
    commit();
    write('run.sh', 'committed\n');
    chmodSync(path('run.sh'), 0o755);
    git('add', '--all');
    git('commit', '--quiet', '--message=second');
    await tree.note();
    unlinkSync(path('run.sh'));
    unlinkSync(path('a.txt'));
    const modes = (await tree.before(['run.sh', 'a.txt'].map(path)))?.map(({ mode }) => mode);
    assert.deepEqual(modes, [0o777 & ~process.umask(), undefined]);
  });

  it('finds the files of a folder that has gone as a whole', async () => {
    commit();
    write('folder/deep/committed.txt', 'committed\n');
    write('folder/changed.txt', 'committed\n');
    git('add', '--all');
    git('commit', '--quiet', '--message=second');
    write('folder/changed.txt', 'mine\n');
    write('folder/untracked.txt', 'mine\n');
    await tree.note();
    rmSync(path('folder'), { recursive: true });
    assert.deepEqual((await found('folder', 'a.txt')).sort(), [
      'folder/changed.txt saved "mine\\n"',
      'folder/deep/committed.txt git "committed\\n"',
      'folder/untracked.txt saved "mine\\n"',
    ]);
  });

  it('finds them among more names than a command line can hold', async () => {
    commit();
    await tree.note();
    write('a.txt', 'changed\n');
    write('sub dir/ü [1].txt', 'not asked for\n');
    const absent = Array.from({ length: 499 }, (_, index) => `${index}`.padStart(5_000, 'x'));
    assert.deepEqual(await found('a.txt', ...absent), ['a.txt git "committed\\n"']);
  });

  it('does not take a file for new of which git cannot give the committed text', async () => {
    commit();
    git('config', 'filter.locked.clean', 'cat');
    git('config', 'filter.locked.smudge', 'false');
    git('config', 'filter.locked.required', 'true');
    write('.git/info/attributes', 'a.txt filter=locked\n');
    await tree.note();
    write('a.txt', 'changed\n');
    write('new.txt', 'new\n');
    git('add', 'new.txt');
    assert.deepEqual(await found('a.txt', 'new.txt'), ['new.txt git undefined']);
  });

  it('finds the committed text with the line ends and in the encoding that a checkout gives it', async () => {
    commit();
    write('.gitattributes', 'crlf.txt eol=crlf\nwide.txt working-tree-encoding=UTF-16LE\n');
    write('crlf.txt', 'one\r\n');
    writeFileSync(path('wide.txt'), Buffer.from('wide\n', 'utf16le'));
    git('add', '--all');
    git('commit', '--quiet', '--message=second');
    await tree.note();
    const names = ['crlf.txt', 'wide.txt'];
    names.forEach((name) => write(name, 'changed'));
    const before = await tree.before(names.map(path));
    assert.deepEqual(
      before?.map(({ bytes }) => bytes),
      [Buffer.from('one\r\n'), Buffer.from('wide\n', 'utf16le')],
    );
  });

  it('knows what had not been committed', async () => {
    commit();
    write('a.txt', 'mine\n');
    write('untracked.txt', 'mine\n');
    await tree.note();
    write('a.txt', 'changed\n');
    write('untracked.txt', 'changed\n');
    assert.deepEqual(await found('a.txt', 'untracked.txt'), [
      'a.txt saved "mine\\n"',
      'untracked.txt saved "mine\\n"',
    ]);
  });

  for (const [how, args] of Object.entries({
    'git rm': ['rm', '--quiet', '--force', 'a.txt'],
    'git mv': ['mv', 'a.txt', 'moved.txt'],
  })) {
    it(`finds what had not been committed of a file that "${how}" has taken away`, async () => {
      commit();
      write('a.txt', 'mine\n');
      await tree.note();
      write('a.txt', 'mine, and more\n');
      await tree.noteFile(path('a.txt'));
      git(...args);
      assert.deepEqual(await found('a.txt', 'moved.txt'), ['a.txt saved "mine, and more\\n"']);
    });
  }

  it('finds what a file of the user was that the agent has removed, also if it writes it anew', async () => {
    commit();
    write('notes.md', 'mine\n');
    await tree.note();
    unlinkSync(path('notes.md'));
    assert.deepEqual(await found('notes.md'), ['notes.md saved "mine\\n"']);
    write('notes.md', 'changed\n');
    assert.deepEqual(await found('notes.md'), ['notes.md saved "mine\\n"']);
  });

  it('does not take for new a file of the user that the agent has moved, and knows it there', async () => {
    commit();
    write('notes.md', 'mine\n');
    write('todo.md', 'mine too\n');
    await tree.note();
    mkdirSync(path('docs'));
    renameSync(path('notes.md'), path('docs/notes.md'));
    write('docs/new.md', 'new\n');
    write('docs/todo.md', 'mine too\n'); // a copy
    const names = ['notes.md', 'docs/notes.md', 'docs/new.md', 'docs/todo.md'];
    assert.deepEqual(await found(...names), [
      'notes.md saved "mine\\n"',
      'docs/new.md git undefined',
      'docs/todo.md git undefined',
    ]);
    write('docs/notes.md', 'changed\n');
    assert.deepEqual(await found('docs/notes.md'), ['docs/notes.md saved "mine\\n"']);
  });

  it('takes a file for new that an agent has moved, and that it had made itself', async () => {
    commit();
    write('made.ts', 'made\n');
    await tree.note();
    renameSync(path('made.ts'), path('moved.ts'));
    const before = await tree.before([path('moved.ts')], (each) => each === path('made.ts'));
    assert.deepEqual(before, [{ path: path('moved.ts'), bytes: undefined, mode: undefined, source: 'git' }]);
  });

  describe('does not take for new what may be the only copy of something', () => {
    const large = 'x'.repeat(1024 * 1024 + 1);
    const old = new Date(1_700_000_000_000);
    const move = (from: string, to: string) => renameSync(path(from), path(to));

    beforeEach(commit);

    it('that git ignores, and that was moved', async () => {
      write('.env', 'mine\n');
      write('ignored/data/mine.txt', 'mine\n');
      await tree.note();
      write('ignored/built.txt', 'built since\n');
      move('ignored/data', 'data');
      move('ignored/built.txt', 'built.txt');
      assert.deepEqual(await found('data/mine.txt', 'built.txt'), ['built.txt git undefined']);
      move('.env', 'shown.txt');
      assert.deepEqual(await found('shown.txt'), []);
      write('shown.txt', 'changed\n');
      assert.deepEqual(await found('shown.txt'), ['shown.txt saved "mine\\n"']);
    });

    for (const [flag, back] of [
      ['--assume-unchanged', '--no-assume-unchanged'],
      ['--skip-worktree', '--no-skip-worktree'],
    ] as const) {
      it(`that git was told to overlook by ${flag}, and that was moved, or is seen again`, async () => {
        git('update-index', flag, 'a.txt', 'sub dir/ü [1].txt');
        write('a.txt', 'mine\n');
        write('sub dir/ü [1].txt', 'mine too\n');
        await tree.note();
        git('update-index', back, 'a.txt');
        appendFileSync(path('a.txt'), 'changed\n');
        assert.deepEqual(await found('a.txt'), []);
        move('sub dir/ü [1].txt', 'moved.txt');
        appendFileSync(path('moved.txt'), 'changed\n');
        assert.deepEqual(await found('moved.txt'), []);
      });
    }

    it('that git ignores, and that was moved and written into', async () => {
      write('ignored/data/mine.txt', 'mine\n');
      await tree.note();
      move('ignored/data/mine.txt', 'mine.txt');
      appendFileSync(path('mine.txt'), 'more\n');
      assert.deepEqual(await found('mine.txt'), []);
    });

    it('that git ignores, and that was copied and removed, or moved and replaced', async () => {
      write('.env', 'mine\n');
      await tree.note();
      write('new.txt', 'new\n');
      assert.deepEqual(await found('new.txt'), ['new.txt git undefined']);
      unlinkSync(path('.env'));
      write('shown.txt', 'mine, and more\n');
      assert.deepEqual(await found('shown.txt'), []);
      write('later.txt', 'new\n');
      assert.deepEqual(await found('later.txt'), ['later.txt git undefined']);
    });

    it('that git does not track, and that was moved and replaced', async () => {
      write('mine.txt', 'mine\n');
      write('notes/mine.txt', 'mine too\n');
      await tree.note();
      move('mine.txt', 'moved.txt');
      move('notes', 'docs');
      for (const name of ['moved.txt', 'docs/mine.txt']) {
        unlinkSync(path(name)); // as "sed -i" does
        write(name, 'mine, and more\n');
      }
      assert.deepEqual(await found('moved.txt', 'docs/mine.txt'), []); // until it is told that the others are gone
      write('moved.txt', 'changed\n');
      assert.deepEqual(await found('moved.txt'), ['moved.txt saved "mine, and more\\n"']);
    });

    it('that the user has saved since, and that was moved and written into', async () => {
      await tree.note();
      write('mine.txt', 'mine\n');
      await tree.noteFile(path('mine.txt'));
      move('mine.txt', 'moved.txt');
      appendFileSync(path('moved.txt'), 'more\n');
      assert.deepEqual(await found('moved.txt'), []);
    });

    it('that was not committed yet, and that git has moved before it was written', async () => {
      write('a.txt', 'mine\n');
      write('staged.txt', 'mine too\n');
      git('add', 'staged.txt');
      await tree.note();
      git('mv', 'a.txt', 'moved.txt');
      git('mv', 'staged.txt', 'moved too.txt');
      unlinkSync(path('moved.txt'));
      write('moved.txt', 'mine, and more\n');
      appendFileSync(path('moved too.txt'), 'more\n');
      assert.deepEqual(await found('moved.txt', 'moved too.txt'), []);
    });

    it('but where the deletion is listed, with all that was not committed', async () => {
      write('a.txt', 'mine\n');
      write('notes/mine.txt', 'mine too\n');
      await tree.note();
      unlinkSync(path('a.txt'));
      move('notes', 'docs');
      write('moved.txt', 'mine, and more\n');
      unlinkSync(path('docs/mine.txt'));
      write('docs/mine.txt', 'mine too, and more\n');
      assert.deepEqual(await found('a.txt', 'moved.txt', 'notes/mine.txt', 'docs/mine.txt'), [
        'a.txt saved "mine\\n"',
        'moved.txt git undefined',
        'notes/mine.txt saved "mine too\\n"',
        'docs/mine.txt git undefined',
      ]);
    });

    it('that is too large to be known', async () => {
      write('large.txt', large);
      await tree.note();
      write('saved.txt', large);
      await tree.noteFile(path('saved.txt'));
      move('large.txt', 'moved.txt');
      move('saved.txt', 'moved too.txt');
      assert.deepEqual(await found('moved.txt', 'moved too.txt'), []);
    });

    it('that the user may have written since', async () => {
      await tree.note();
      write('mine.txt', 'mine\n');
      tree.doubt(path('mine.txt'));
      move('mine.txt', 'moved.txt');
      assert.deepEqual(await found('mine.txt', 'moved.txt'), []);
    });

    it('that was outside of the folder, be it on another disk', async () => {
      const outside = mkdtempSync(join(tmpdir(), 'ide-bridge-outside-'));
      try {
        writeFileSync(join(outside, 'mine.txt'), 'mine\n');
        await tree.note();
        renameSync(join(outside, 'mine.txt'), path('mine.txt'));
        write('copied.txt', 'with its time\n');
        utimesSync(path('copied.txt'), old, old);
        assert.deepEqual(await found('mine.txt', 'copied.txt'), []);
      } finally {
        rmSync(outside, { recursive: true });
      }
    });

    it('also in the place of a committed file', async () => {
      write('.env', 'mine\n');
      write('notes.md', 'mine too\n');
      await tree.note();
      move('.env', 'a.txt');
      move('notes.md', 'sub dir/ü [1].txt');
      assert.deepEqual(await found('a.txt', 'notes.md', 'sub dir/ü [1].txt'), [
        'notes.md saved "mine too\\n"',
      ]);
      write('a.txt', 'changed\n');
      assert.deepEqual(await found('a.txt'), ['a.txt saved "mine\\n"']);
    });
  });

  it('takes for new what an agent has moved, and what git has', async () => {
    commit();
    git('config', 'core.autocrlf', 'true');
    write('crlf.txt', 'one\r\n');
    git('add', 'crlf.txt');
    git('commit', '--quiet', '--message=second');
    await tree.note();
    for (const name of ['crlf.txt', 'sub dir/ü [1].txt']) {
      renameSync(path(name), path(`${name} moved`));
    }
    assert.deepEqual(await found('crlf.txt', 'crlf.txt moved', 'sub dir/ü [1].txt moved'), [
      'crlf.txt git "one\\r\\n"',
      'crlf.txt moved git undefined',
      'sub dir/ü [1].txt moved git undefined',
    ]);
  });

  it('finds nothing of what somebody else may have written, until it is noted or saved', async () => {
    commit();
    write('sub dir/ü [1].txt', 'not committed\n');
    await tree.note();
    const names = ['a.txt', 'sub dir/ü [1].txt', 'new.txt'];
    names.forEach((name) => write(name, 'mine\n'));
    names.forEach((name) => tree.doubt(path(name)));
    names.forEach((name) => write(name, 'changed\n'));
    assert.deepEqual(await found(...names), []);
    await tree.noteFile(path('a.txt'));
    write('a.txt', 'changed again\n');
    assert.deepEqual(await found(...names), ['a.txt saved "changed\\n"']);
    await tree.note();
    write('new.txt', 'changed again\n');
    assert.deepEqual(await found('new.txt'), ['new.txt saved "changed\\n"']);
  });

  it('knows nothing any more where others have written more than can be remembered', async () => {
    commit();
    await tree.note();
    for (let index = 0; index <= 10_000; index++) {
      tree.doubt(path(`gone ${index}`));
    }
    write('a.txt', 'changed\n');
    assert.deepEqual(await found('a.txt'), []);
  });

  it('does not doubt what it has seen when it was noted', async () => {
    commit();
    write('a.txt', 'mine\n');
    await new Promise((resolve) => setTimeout(resolve, 100)); // else the clock of files cannot tell
    await tree.note();
    tree.doubt(path('a.txt'));
    write('a.txt', 'changed\n');
    assert.deepEqual(await found('a.txt'), ['a.txt saved "mine\\n"']);
    tree.doubt(path('a.txt'));
    assert.deepEqual(await found('a.txt'), []);
  });

  it('finds nothing in a folder that the user has deleted, but what they have saved there since', async () => {
    commit();
    write('sub dir/mine.txt', 'mine\n');
    await tree.note();
    rmSync(path('sub dir'), { recursive: true });
    await tree.noteFile(path('sub dir'));
    write('sub dir/ü [1].txt', 'changed\n');
    write('sub dir/mine.txt', 'changed\n');
    write('sub dir/new.txt', 'mine\n');
    await tree.noteFile(path('sub dir/new.txt'));
    write('sub dir/new.txt', 'changed\n');
    assert.deepEqual(await found('sub dir/ü [1].txt', 'sub dir/mine.txt', 'sub dir/new.txt'), [
      'sub dir/new.txt saved "mine\\n"',
    ]);
  });

  it('takes what the user has saved since as what was', async () => {
    commit();
    await tree.note();
    write('a.txt', 'mine\n');
    await tree.noteFile(path('a.txt'));
    write('a.txt', 'changed\n');
    assert.deepEqual(await found('a.txt'), ['a.txt saved "mine\\n"']);
  });

  it('finds nothing of ignored files', async () => {
    commit();
    await tree.note();
    write('ignored/out.js', 'built\n');
    assert.deepEqual(await found('ignored/out.js'), []);
  });

  it('does not take for new what was ignored until now', async () => {
    commit();
    write('ignored/data/mine.txt', 'mine\n');
    write('.env', 'mine\n');
    await tree.note();
    write('.gitignore', '# nothing\n');
    write('ignored/data/mine.txt', 'changed\n');
    write('ignored/new.txt', 'not sure\n');
    write('.env', 'changed\n');
    assert.deepEqual(await found('.gitignore', 'ignored/data/mine.txt', 'ignored/new.txt', '.env'), [
      '.gitignore git "ignored/\\n.env\\n"',
    ]);
  });

  it('does not take for new what was in another repository, or in a submodule', async () => {
    commit();
    for (const name of ['nested', 'module']) {
      git('init', '--quiet', name);
      write(`${name}/mine.txt`, 'mine\n');
      git('-C', name, 'add', '--all');
      git('-C', name, 'commit', '--quiet', '--message=theirs');
    }
    git('add', '--no-warn-embedded-repo', 'module');
    git('commit', '--quiet', '--message=second');
    await tree.note();
    git('rm', '--quiet', '--cached', 'module');
    for (const name of ['nested', 'module']) {
      rmSync(path(`${name}/.git`), { recursive: true });
      write(`${name}/mine.txt`, 'changed\n');
    }
    write('new.txt', 'new\n');
    assert.deepEqual(await found('nested/mine.txt', 'module/mine.txt', 'new.txt'), ['new.txt git undefined']);
  });

  it('finds nothing where a file takes the place of a link, or a link that of a file', async () => {
    commit();
    symlinkSync('a.txt', path('link.txt'));
    git('add', 'link.txt');
    git('commit', '--quiet', '--message=second');
    write('mine.txt', 'mine\n');
    symlinkSync('a.txt', path('mine link.txt'));
    await tree.note();
    for (const name of ['link.txt', 'mine link.txt']) {
      unlinkSync(path(name));
      write(name, 'changed\n');
    }
    for (const name of ['a.txt', 'mine.txt']) {
      unlinkSync(path(name));
      symlinkSync('sub dir/ü [1].txt', path(name));
    }
    assert.deepEqual(await found('link.txt', 'mine link.txt', 'a.txt', 'mine.txt'), []);
  });

  it('compares with a commit in the meantime, and finds nothing of what it has of what was not committed', async () => {
    commit();
    write('mine.txt', 'mine\n');
    await tree.note();
    write('a.txt', 'theirs\n');
    git('add', '--all');
    git('commit', '--quiet', '--all', '--message=second');
    const names = ['a.txt', 'sub dir/ü [1].txt', 'new.txt', 'mine.txt'];
    names.forEach((name) => write(name, 'changed\n'));
    assert.deepEqual(await found(...names), [
      'a.txt git "theirs\\n"',
      'sub dir/ü [1].txt git "committed too\\n"',
      'new.txt git undefined',
    ]);
  });

  it('finds nothing of a commit that was undone', async () => {
    commit();
    write('a.txt', 'mine\n');
    write('mine.txt', 'mine\n');
    git('add', '--all');
    git('commit', '--quiet', '--message=second');
    await tree.note();
    git('reset', '--quiet', '--soft', 'HEAD~1');
    write('a.txt', 'changed\n');
    write('mine.txt', 'changed\n');
    assert.deepEqual(await found('a.txt', 'mine.txt'), []);
  });

  for (const [how, undo] of Object.entries({
    '--soft': ['reset', '--quiet', '--soft', 'HEAD~1'],
    '--mixed': ['reset', '--quiet', 'HEAD~1'],
  })) {
    it(`still knows what had not been committed after a commit that a hook wrote in and a reset ${how} undid`, async () => {
      commit();
      write('a.txt', 'mine\n');
      write('mine.txt', 'mine\n');
      await tree.note();
      git('add', '--all');
      git('commit', '--quiet', '--message=second');
      assert.deepEqual(await found('a.txt', 'mine.txt'), []); // touched by a formatter that had nothing to do
      git(...undo);
      write('a.txt', 'changed\n');
      write('mine.txt', 'changed\n');
      assert.deepEqual(await found('a.txt', 'mine.txt'), [
        'a.txt saved "mine\\n"',
        'mine.txt saved "mine\\n"',
      ]);
    });
  }

  it('finds nothing after files came out of a stash', async () => {
    commit();
    write('a.txt', 'mine\n');
    write('mine.txt', 'mine\n');
    git('stash', '--quiet', '--include-untracked');
    await tree.note();
    git('stash', 'pop', '--quiet');
    assert.deepEqual(await found('a.txt', 'mine.txt'), []);
  });

  it('finds nothing after files came out of a stash that nobody had looked at', async () => {
    commit();
    write('a.txt', 'edited\n');
    await tree.note();
    git('stash', '--quiet');
    await tree.noteFile(path('a.txt')); // until then a session's, so that it was not asked for
    git('stash', 'pop', '--quiet');
    assert.deepEqual(await found('a.txt'), []);
    write('a.txt', 'scripted\n');
    assert.deepEqual(await found('a.txt'), ['a.txt saved "edited\\n"']);
  });

  it('finds nothing after a checkout', async () => {
    commit();
    git('checkout', '--quiet', '-b', 'other');
    write('a.txt', 'other\n');
    git('commit', '--quiet', '--all', '--message=second');
    await tree.note();
    git('checkout', '--quiet', 'main');
    assert.deepEqual(await found('a.txt'), []);
  });

  it('finds nothing while git is at work, and cannot tell yet while it writes', async () => {
    commit();
    await tree.note();
    write('a.txt', 'changed\n');
    write('.git/MERGE_HEAD', '');
    assert.deepEqual(await found('a.txt'), []);
    unlinkSync(path('.git/MERGE_HEAD'));
    write('.git/index.lock', '');
    assert.equal(await tree.before([path('a.txt')]), undefined);
    unlinkSync(path('.git/index.lock'));
    const looking = tree.before([path('a.txt')]);
    for (let isDone = false, times = 0; !isDone; times++) {
      utimesSync(path('.git/index'), times, times); // as each command does that writes it
      isDone = await Promise.race([looking.then(() => true), delay(1, false)]);
    }
    assert.equal(await looking, undefined);
    assert.deepEqual(await found('a.txt'), ['a.txt git "committed\\n"']);
  });

  describe('reads the index, and leaves it alone', () => {
    const index = () => join(git('rev-parse', '--absolute-git-dir').toString().trim(), 'index');

    it('so that a file that was written as it is does not hide an edit', async () => {
      commit();
      git(
        'stash',
        'store',
        '--message=one',
        git('commit-tree', '-m', 'one', 'HEAD^{tree}').toString().trim(),
      );
      await tree.note();
      const before = statSync(index(), { bigint: true });
      write('sub dir/ü [1].txt', 'committed too\n');
      const later = new Date(Date.now() + 60_000);
      utimesSync(path('sub dir/ü [1].txt'), later, later);
      write('a.txt', 'changed\n');
      const names = ['a.txt', 'sub dir/ü [1].txt'];
      for (let look = 1; look <= 2; look++) {
        assert.deepEqual(await found(...names), ['a.txt git "committed\\n"'], `look ${look}`);
      }
      await tree.note();
      const after = statSync(index(), { bigint: true });
      assert.deepEqual([after.mtimeNs, after.ino], [before.mtimeNs, before.ino]);
    });

    it('and knows of an edit that is as old as the index', async () => {
      commit();
      git('config', 'core.trustctime', 'false'); // which nobody can set
      const time = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 500);
      utimesSync(path('a.txt'), time, time);
      git('update-index', '--refresh');
      utimesSync(index(), time, time);
      await tree.note();
      write('a.txt', 'different\n');
      utimesSync(path('a.txt'), time, time);
      assert.deepEqual(await found('a.txt'), ['a.txt git "committed\\n"']);
    });

    it('also where a part of it is shared, and in a work tree of its own', async () => {
      commit();
      git('update-index', '--split-index');
      await tree.note();
      write('a.txt', 'changed\n');
      assert.deepEqual(await found('a.txt'), ['a.txt git "committed\\n"']);
      git('worktree', 'add', '--quiet', 'other');
      tree = new WorkingTree(path('other'), trustedGit);
      await tree.note();
      write('other/a.txt', 'changed\n');
      assert.deepEqual(await found('other/a.txt'), ['other/a.txt git "committed\\n"']);
    });

    it('and leaves no copy behind', async () => {
      commit();
      const { TMPDIR } = process.env;
      process.env.TMPDIR = path('temporary');
      mkdirSync(path('temporary'));
      try {
        await tree.note();
        await tree.before([path('a.txt')]);
        assert.deepEqual(readdirSync(path('temporary')), []);
      } finally {
        if (TMPDIR === undefined) {
          delete process.env.TMPDIR;
        } else {
          process.env.TMPDIR = TMPDIR;
        }
      }
    });
  });

  it('finds nothing before it was noted, in a repository without a commit, and outside of git', async () => {
    write('a.txt', 'x\n');
    await tree.note();
    assert.deepEqual(await found('a.txt'), []);
    git('init', '--quiet');
    await tree.note();
    assert.deepEqual(await found('a.txt'), []);
    commit();
    tree = new WorkingTree(folder, trustedGit);
    write('a.txt', 'changed\n');
    assert.deepEqual(await found('a.txt'), []);
  });

  it('tells what is new or changed in folders, but for what git ignores; none outside of git', async () => {
    const filesIn = async (...folders: string[]) =>
      [...(await tree.filesIn(new Set(folders.map(path)))).keys()]
        .map((file) => file.slice(folder.length + 1))
        .sort();
    write('made/new.txt', 'new\n');
    assert.deepEqual(await filesIn('made'), []);
    commit();
    write('made/deep/[2] ü.txt', 'new\n');
    write('made/ignored/out.txt', 'new\n');
    write('made by me/new.txt', 'new\n');
    write('sub dir/ü [1].txt', 'changed\n');
    assert.deepEqual(await filesIn('made', 'sub dir'), ['made/deep/[2] ü.txt', 'sub dir/ü [1].txt']);
    write('sub dir/mine.txt', 'not committed\n');
    await delay(50); // longer than what the clock of files may be behind, here and below
    await tree.note();
    write('sub dir/mine.txt', 'not mine\n');
    write('sub dir/later.txt', 'new\n');
    assert.deepEqual(
      [...(await tree.filesIn(new Set([path('sub dir')])))]
        .map(([file, wasThere]) => `${basename(file)}: ${wasThere}`)
        .sort(),
      ['later.txt: false', 'mine.txt: true'],
    );
    write('made/deep/[2] ü.txt', 'changed\n');
    const absent = Array.from({ length: 499 }, (_, index) => `${index}`.padStart(5_000, 'x'));
    assert.deepEqual(await filesIn('made', ...absent), ['made/deep/[2] ü.txt']);
    for (let index = 0; index < 600; index++) {
      write(`many/${index}.txt`, 'new\n');
    }
    assert.equal((await filesIn('many')).length, 500);
    await delay(50);
    await tree.note();
    write('many/later.txt', 'new\n');
    assert.deepEqual(await filesIn('many'), ['many/later.txt']);
  });

  it('knows where files were, committed or not, when it was noted', async () => {
    write('committed.txt', 'text\n');
    write('deleted.txt', 'text\n');
    commit();
    write('mine.txt', 'not committed\n');
    rmSync(path('deleted.txt'));
    const names = ['committed.txt', 'mine.txt', 'deleted.txt', 'later.txt'];
    const there = async () =>
      (await tree.thereBefore(names.map(path))).map((file) => file.slice(folder.length + 1));
    assert.deepEqual(await there(), [], 'nothing is noted');
    await tree.note();
    await delay(50); // longer than what the clock of files may be behind
    write('later.txt', 'new\n');
    write('deleted.txt', 'new\n');
    const before = ['committed.txt', 'mine.txt'];
    assert.deepEqual(await there(), before);
    names.forEach((name) => tree.doubt(path(name)));
    assert.deepEqual(await there(), before, 'somebody may have written them');
  });

  describe('where case makes no difference in names', () => {
    /** Names that do not stand in their folders any more. */
    let former: string[];

    beforeEach(() => {
      former = [];
      const namesIn = (at: string) => readdirSync(at).filter((name) => !former.includes(name));
      tree = new WorkingTree(folder, trustedGit, (at) => Promise.resolve(namesIn(at)));
    });

    /** The old name leads to the file, too: by a link here. */
    function recase(from: string, to: string): void {
      mkdirSync(dirname(path(to)), { recursive: true });
      linkSync(path(from), path(to));
      former.push(from.split('/')[0] ?? '');
    }

    it('takes nothing for created that was only renamed', async () => {
      write('mine.txt', 'not committed\n');
      commit();
      git('rm', '--quiet', '--cached', 'mine.txt');
      git('commit', '--quiet', '--message=without');
      await delay(50);
      await tree.note();
      await delay(50);
      recase('a.txt', 'A.TXT');
      git('update-index', '--force-remove', 'a.txt'); // as `git mv` does
      git('add', 'A.TXT');
      recase('sub dir/ü [1].txt', 'SUB DIR/Ü [1].TXT');
      recase('mine.txt', 'MINE.TXT');
      const names = ['a.txt', 'A.TXT', 'SUB DIR/Ü [1].TXT', 'mine.txt', 'MINE.TXT'];
      const same = ['A.TXT git "committed\\n"', 'MINE.TXT saved "not committed\\n"'];
      assert.deepEqual(await found(...names), same);
      appendFileSync(path('A.TXT'), 'changed\n');
      appendFileSync(path('SUB DIR/Ü [1].TXT'), 'changed\n');
      assert.deepEqual(await found(...names), [
        'A.TXT git "committed\\n"',
        'SUB DIR/Ü [1].TXT git "committed too\\n"',
        'MINE.TXT saved "not committed\\n"',
      ]);
      const isKept = (file: string) => file === path('a.txt'); // its change is listed there
      assert.deepEqual(await tree.before(['a.txt', 'A.TXT'].map(path), isKept), []);
    });

    it('tells from it what is another file', async () => {
      commit();
      await tree.note();
      write('A.TXT', 'new\n');
      assert.deepEqual(await found('A.TXT'), ['A.TXT git undefined']);
    });

    it('finds what has come with a file whose name git could take for a pattern', async () => {
      commit();
      await tree.note();
      write('a.txt', 'changed\n');
      write(':%1', 'x\n');
      assert.deepEqual(await found('a.txt', ':%1'), ['a.txt git "committed\\n"', ':%1 git undefined']);
    });
  });
});
