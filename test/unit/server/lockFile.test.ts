import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../../src/base/errors.ts';
import type { LockFileContent } from '../../../src/protocol/ide.ts';
import { createLockFile } from '../../../src/server/lockFile.ts';
import { isAlive, isListening } from '../../../src/server/processes.ts';
import { sweepLockFiles } from '../../../src/server/sweep.ts';

const content: LockFileContent = {
  pid: process.pid,
  workspaceFolders: ['/ws'],
  ideName: 'Test',
  transport: 'ws',
  runningInWindows: false,
  authToken: 'secret',
  bridge: 'ours',
};

describe('lock file', () => {
  let root: string;
  let dir: string;

  beforeEach(() => {
    root = fs.mkdtempSync(join(tmpdir(), 'ide-bridge-lock-'));
    dir = join(root, 'deep', 'ide');
  });
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  it('is named after the port and private to the user, folder and file', () => {
    const lock = createLockFile(dir, 12345, content);
    assert.equal(lock.path, join(dir, '12345.lock'));
    assert.deepEqual(JSON.parse(fs.readFileSync(lock.path, 'utf8')), content);
    assert.equal(fs.statSync(lock.path).mode & 0o777, 0o600);
    assert.equal(fs.statSync(dir).mode & 0o777, 0o700);
  });

  it('makes a folder private that was open to others', () => {
    fs.mkdirSync(dir, { recursive: true });
    fs.chmodSync(dir, 0o755);
    createLockFile(dir, 1, content);
    assert.equal(fs.statSync(dir).mode & 0o777, 0o700);
  });

  it('replaces a link of its name instead of writing through it', () => {
    fs.mkdirSync(dir, { recursive: true });
    const victim = join(root, 'victim');
    fs.writeFileSync(victim, 'untouched');
    fs.symlinkSync(victim, join(dir, '7.lock'));
    createLockFile(dir, 7, content);
    assert.equal(fs.readFileSync(victim, 'utf8'), 'untouched');
    assert.ok(fs.lstatSync(join(dir, '7.lock')).isFile());
  });

  it('refuses a folder that is a symbolic link, and says so', () => {
    const elsewhere = join(root, 'elsewhere');
    fs.mkdirSync(elsewhere);
    fs.symlinkSync(elsewhere, join(root, 'ide'));
    assert.throws(
      () => createLockFile(join(root, 'ide'), 1, content),
      (error) =>
        error instanceof UserError &&
        /is a symbolic link/.test(error.problem) &&
        /real folder/.test(error.remedy),
    );
    assert.deepEqual(fs.readdirSync(elsewhere), []);
  });

  it('says what to do when the folder cannot be made', () => {
    fs.writeFileSync(join(root, 'deep'), 'a file where the folder should be');
    assert.throws(
      () => createLockFile(dir, 1, content),
      (error) => error instanceof UserError && error.message.includes(dir),
    );
  });

  it('leaves no temporary file behind, after success or failure', () => {
    createLockFile(dir, 1, content);
    assert.deepEqual(fs.readdirSync(dir), ['1.lock']);
    fs.mkdirSync(join(dir, '2.lock')); // renaming onto a folder fails
    assert.throws(() => createLockFile(dir, 2, content), UserError);
    assert.deepEqual(fs.readdirSync(dir).sort(), ['1.lock', '2.lock']);
  });

  it('is rewritten by update and gone after remove', () => {
    const lock = createLockFile(dir, 1, content);
    lock.update({ ...content, workspaceFolders: ['/a', '/b'] });
    assert.match(fs.readFileSync(lock.path, 'utf8'), /\/b/);
    lock.remove();
    lock.remove();
    assert.equal(fs.existsSync(lock.path), false);
  });

  it('does not remove a file that somebody else has written since', () => {
    const lock = createLockFile(dir, 1, content);
    fs.writeFileSync(lock.path, '{"other":true}');
    lock.remove();
    assert.equal(fs.existsSync(lock.path), true);
  });
});

describe('sweep of lock files', () => {
  let dir: string;
  const probes = { isAlive, isListening };
  const deadPid = spawnSync(process.execPath, ['-e', '']).pid;

  beforeEach(() => {
    dir = fs.mkdtempSync(join(tmpdir(), 'ide-bridge-sweep-'));
  });
  afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

  it('deletes the lock of a dead process, whoever wrote it', async () => {
    createLockFile(dir, 1, { ...content, pid: deadPid, bridge: 'theirs' });
    assert.deepEqual(await sweepLockFiles(dir, 'ours', probes), [join(dir, '1.lock')]);
  });

  it('deletes a lock of ours on whose port nobody listens, and leaves that of another extension', async () => {
    createLockFile(dir, 2, content);
    createLockFile(dir, 3, { ...content, bridge: 'theirs' });
    await sweepLockFiles(dir, 'ours', probes);
    assert.deepEqual(fs.readdirSync(dir), ['3.lock']);
  });

  it('keeps a lock of ours that is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(address && typeof address === 'object');
    createLockFile(dir, address.port, content);
    assert.deepEqual(await sweepLockFiles(dir, 'ours', probes), []);
    server.close();
  });

  it('leaves what it cannot read', async () => {
    fs.writeFileSync(join(dir, '4.lock'), 'not json');
    fs.writeFileSync(join(dir, 'abc.lock'), JSON.stringify({ ...content, pid: deadPid }));
    assert.deepEqual(await sweepLockFiles(dir, 'ours', probes), []);
    assert.deepEqual(await sweepLockFiles(join(dir, 'missing'), 'ours', probes), []);
  });
});
