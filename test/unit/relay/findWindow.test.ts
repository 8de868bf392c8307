import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NoSuchWindow } from '../../../src/relay/findWindow.ts';
import { type EditorWindow, findWindow, openWindows } from '../../../src/relay/findWindow.ts';

describe('the window that is meant', () => {
  const window = (port: number, ...folders: string[]): EditorWindow => ({
    pid: port,
    port,
    token: 't',
    editor: 'Editor',
    folders,
  });
  const found = (windows: EditorWindow[], folder: string) => findWindow(windows, { folder }).port;

  it('is the one with the folder, or one above it, the nearest', () => {
    const windows = [window(1, '/work'), window(2, '/x', '/work/app'), window(3, '/work/app2'), window(4)];
    assert.equal(found(windows, '/work/app'), 2);
    assert.equal(found(windows, '/work/app/src/deep'), 2);
    assert.equal(found(windows, '/work/other'), 1);
    assert.equal(found(windows, '/work/app2/..a'), 3);
    assert.equal(found([window(1, '/')], '/anywhere'), 1);
  });

  it('is none where none has the folder: the answer says which there are', () => {
    assert.throws(
      () => found([window(1, '/work/app'), window(2)], '/work/ap'),
      (error: NoSuchWindow) =>
        error.mayCome &&
        error.message ===
          'No editor window has /work/ap open. There are: Editor with /work/app (port 1); Editor with no folder (port 2).',
    );
    assert.throws(() => found([], '/work'), /Is it running/);
  });

  it('is not guessed among equals, and can be named by its port', () => {
    const windows = [window(1, '/work'), window(2, '/work'), window(3, '/')];
    assert.throws(
      () => found(windows, '/work'),
      (error: NoSuchWindow) => !error.mayCome && /--port.*port 1.*port 2/.test(error.message),
    );
    assert.equal(findWindow(windows, { port: 2, folder: '/work' }).port, 2);
    assert.throws(() => findWindow(windows, { port: 9, folder: '/work' }), /port 9\. There are/);
  });

  it('is not another that has got the port of one that was closed', () => {
    const windows = [window(1, '/work'), { ...window(2, '/other'), token: 'another' }];
    const last = { port: 2, token: 't', folder: '/work' };
    assert.throws(
      () => findWindow(windows, last),
      (error: NoSuchWindow) =>
        !error.mayCome && error.message.startsWith('Another editor window listens on port 2'),
    );
    assert.equal(findWindow(windows, { ...last, token: 'another' }).port, 2);
  });

  it('is found by a link to its folder, and by what its own link leads to', () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'windows-')));
    try {
      mkdirSync(join(root, 'real', 'src'), { recursive: true });
      symlinkSync(join(root, 'real'), join(root, 'link'));
      assert.equal(found([window(1, join(root, 'real'))], join(root, 'link', 'src')), 1);
      assert.equal(found([window(1, join(root, 'link'))], join(root, 'real', 'src')), 1);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('may be the only one in a moment where one editor has all of them, as while it reloads a window', () => {
    const windows = [window(1, '/work'), { ...window(2, '/work'), pid: 1 }];
    assert.throws(
      () => found(windows, '/work'),
      (error: NoSuchWindow) => error.mayCome,
    );
    assert.throws(
      () => found([...windows, window(3, '/work')], '/work'),
      (error: NoSuchWindow) => !error.mayCome,
    );
  });

  it('has a lock file of ours, of a process that lives', () => {
    const dir = mkdtempSync(join(tmpdir(), 'locks-'));
    const lock = {
      pid: process.pid,
      workspaceFolders: ['/a'],
      ideName: 'Editor',
      transport: 'ws',
      runningInWindows: false,
      authToken: 't',
      bridge: 'ide-bridge-for-claude-code',
    };
    try {
      writeFileSync(join(dir, '1001.lock'), JSON.stringify(lock));
      writeFileSync(join(dir, '1002.lock'), JSON.stringify({ ...lock, bridge: undefined }));
      writeFileSync(join(dir, '1003.lock'), JSON.stringify({ ...lock, pid: 2 ** 22 + 1 }));
      writeFileSync(join(dir, '1004.lock'), '{');
      assert.deepEqual(
        openWindows(dir).map(({ port }) => port),
        [1001],
      );
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
