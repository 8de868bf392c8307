import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findLocks } from '../support/ideClient.ts';
import { TestBridges } from '../support/testBridges.ts';
import { until } from '../support/until.ts';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

describe('the lock file', () => {
  let bridges: TestBridges;

  beforeEach(() => {
    bridges = new TestBridges();
    fs.chmodSync(bridges.root, 0o755); // as a home is for others on many systems
  });
  afterEach(() => bridges.cleanUp());

  /** The message of the state `failed` after a start. */
  async function failure(): Promise<string> {
    const bridge = bridges.create();
    await bridge.start();
    assert.equal(bridge.state.kind, 'failed');
    return bridge.state.error.message;
  }

  async function listening(): Promise<void> {
    const bridge = bridges.create();
    await bridge.start();
    assert.equal(bridge.state.kind, 'listening');
  }

  describe('against what lies in its folder already', () => {
    it('does not write through a symbolic link, nor into a hard link, of its name', async () => {
      const { bridge, lock } = await bridges.start();
      await bridge.stop();
      const victim = join(bridges.root, 'victim');
      for (const link of [fs.symlinkSync, fs.linkSync]) {
        fs.writeFileSync(victim, 'untouched');
        link(victim, lock.path);
        await bridge.start();
        assert.equal(fs.readFileSync(victim, 'utf8'), 'untouched');
        assert.equal(fs.statSync(bridges.lock().path).nlink, 1);
        await bridge.stop();
      }
    });

    it('is not held up by a pipe, a device, a socket or a huge file that is called like a lock', async () => {
      fs.mkdirSync(bridges.lockDir, { mode: 0o700 });
      execFileSync('mkfifo', [join(bridges.lockDir, '1.lock')]);
      fs.symlinkSync('/dev/zero', join(bridges.lockDir, '2.lock'));
      fs.writeFileSync(join(bridges.lockDir, '3.lock'), '');
      fs.truncateSync(join(bridges.lockDir, '3.lock'), 8e9);
      const socket = createServer().listen(join(bridges.lockDir, '4.lock'));
      fs.mkdirSync(join(bridges.lockDir, '5.lock'));
      spawnSync('mknod', [join(bridges.lockDir, '6.lock'), 'c', '1', '5']); // /dev/zero itself, where we may
      await listening();
      socket.close();
    });

    it('a lock that is a link to another file is not read', async () => {
      const outside = join(bridges.root, 'outside.json');
      const dead = spawnSync(process.execPath, ['-e', '']).pid;
      const text = JSON.stringify({
        pid: dead,
        workspaceFolders: [],
        ideName: '',
        transport: 'ws',
        runningInWindows: false,
        authToken: '',
      });
      fs.writeFileSync(outside, text);
      fs.mkdirSync(bridges.lockDir, { mode: 0o700 });
      fs.symlinkSync(outside, join(bridges.lockDir, '9.lock'));
      await listening();
      assert.equal(fs.readFileSync(outside, 'utf8'), text);
      assert.ok(fs.lstatSync(join(bridges.lockDir, '9.lock')).isSymbolicLink(), 'read through a link');
    });

    it('takes no more than a whole file for a lock, whatever it says', async () => {
      fs.mkdirSync(bridges.lockDir, { mode: 0o700 });
      const texts = ['', 'null', '[]', '{', '{"pid":"1"}', '{"__proto__":{"pid":1}}', '['.repeat(100_000)];
      texts.forEach((text, index) => fs.writeFileSync(join(bridges.lockDir, `${index + 1}.lock`), text));
      await listening();
      assert.equal(fs.readdirSync(bridges.lockDir).length, texts.length + 1);
    });
  });

  describe('against its folder', () => {
    it('refuses one that is a link, and deletes nothing behind it', async () => {
      const elsewhere = join(bridges.root, 'elsewhere');
      fs.mkdirSync(elsewhere);
      fs.symlinkSync(elsewhere, bridges.lockDir);
      assert.match(await failure(), /is a symbolic link/);
      assert.deepEqual(fs.readdirSync(elsewhere), []);
    });

    it('closes one that was open to others', async () => {
      fs.mkdirSync(bridges.lockDir);
      fs.chmodSync(bridges.lockDir, 0o777);
      await bridges.start();
      assert.equal(fs.statSync(bridges.lockDir).mode & 0o777, 0o700);
    });

    it('refuses a configuration folder in which everybody can rename', async () => {
      fs.chmodSync(bridges.root, 0o777);
      assert.match(await failure(), /Another user may rename/);
      fs.chmodSync(bridges.root, 0o1777);
      await bridges.start(); // a sticky one, as /tmp is
    });
  });

  describe('while the bridge runs', () => {
    const checkInterval = 20;

    it('comes back when it was deleted, with its whole folder or alone', async () => {
      const { lock } = await bridges.start({ checkInterval });
      fs.rmSync(lock.path);
      await until('the lock', () => fs.existsSync(lock.path));
      fs.rmSync(bridges.lockDir, { recursive: true });
      await until('the lock', () => fs.existsSync(lock.path));
      await bridges.connect(bridges.lock());
    });

    it('comes back when it was overwritten, emptied, replaced by a link, or opened to others', async () => {
      const { lock } = await bridges.start({ checkInterval });
      const original = fs.readFileSync(lock.path, 'utf8');
      const isBack = () =>
        fs.lstatSync(lock.path, { throwIfNoEntry: false })?.isFile() &&
        (fs.statSync(lock.path).mode & 0o777) === 0o600 &&
        fs.readFileSync(lock.path, 'utf8') === original;
      const attacks = [
        () => fs.writeFileSync(lock.path, '{"evil":true}'),
        () => fs.truncateSync(lock.path),
        () => {
          fs.rmSync(lock.path);
          fs.symlinkSync('/etc/hostname', lock.path);
        },
        () => fs.chmodSync(lock.path, 0o666),
        () => fs.chmodSync(bridges.lockDir, 0o777),
      ];
      for (const attack of attacks) {
        attack();
        await until('the lock', () => isBack() && (fs.statSync(bridges.lockDir).mode & 0o777) === 0o700);
      }
    });

    it('is written as soon as it can be, after a start that failed', async () => {
      fs.writeFileSync(bridges.lockDir, 'a file where the folder should be');
      const bridge = bridges.create({ checkInterval });
      const states: string[] = [];
      bridge.onDidChangeState(({ kind }) => states.push(kind));
      await bridge.start();
      await new Promise((resolve) => setTimeout(resolve, 5 * checkInterval));
      assert.deepEqual(states, ['starting', 'failed'], 'the user is told once');
      fs.rmSync(bridges.lockDir);
      await until('the bridge', () => bridge.state.kind === 'listening');
      await bridges.connect(bridges.lock());
    });

    it('is not written again once the bridge has stopped', async () => {
      const { bridge } = await bridges.start({ checkInterval });
      await bridge.stop();
      await new Promise((resolve) => setTimeout(resolve, 5 * checkInterval));
      assert.deepEqual(findLocks(bridges.root), []);
    });

    it('says once what is wrong when it cannot be written', async () => {
      const { lock } = await bridges.start({ checkInterval });
      fs.rmSync(bridges.lockDir, { recursive: true });
      fs.writeFileSync(bridges.lockDir, 'in the way');
      const told = () => bridges.log.lines.filter((line) => line.includes('could not be made'));
      await until('the log', () => told().length > 0);
      await new Promise((resolve) => setTimeout(resolve, 5 * checkInterval));
      assert.equal(told().length, 1);
      fs.rmSync(bridges.lockDir);
      await until('the lock', () => fs.existsSync(lock.path));
    });
  });

  describe('against another user of this machine', () => {
    before(function () {
      if (!isRoot) {
        this.skip(); // only root can become somebody else
      }
    });

    /** What a shell of user nobody can do: its exit code and output. */
    function asNobody(script: string): { status: number | null; stdout: string } {
      return spawnSync('/bin/sh', ['-c', script], {
        uid: nobody,
        gid: nobody,
        cwd: '/',
        encoding: 'utf8',
      });
    }

    it('cannot be read, listed, replaced or deleted', async () => {
      const { lock } = await bridges.start();
      for (const script of [
        `cat ${lock.path}`,
        `ls ${bridges.lockDir}`,
        `echo evil > ${lock.path}`,
        `rm -f ${lock.path} && ! test -e ${lock.path}`,
        `ln ${lock.path} /tmp/stolen-${process.pid}`,
        `touch ${bridges.lockDir}/1.lock`,
        `mv ${bridges.lockDir} ${bridges.lockDir}2`,
        `cat ${bridges.root}/storage/bridge.json`,
      ]) {
        const { status, stdout } = asNobody(script);
        if (!script.startsWith('rm')) {
          assert.notEqual(status, 0, script);
        }
        assert.ok(!stdout.includes(lock.authToken));
      }
      assert.equal(bridges.lock().authToken, lock.authToken);
    });

    it('never shows its content, not even while it is being written', async () => {
      fs.mkdirSync(bridges.lockDir, { mode: 0o700 });
      const seen = join(bridges.root, 'seen');
      fs.mkdirSync(seen);
      fs.chmodSync(seen, 0o777);
      const script = `while ! test -e ${seen}/stop; do cat ${bridges.lockDir}/* ${bridges.lockDir}/.*.tmp >> ${seen}/loot 2>/dev/null; done`;
      const thief = new Promise((resolve) => {
        spawn('/bin/sh', ['-c', script], { uid: nobody, gid: nobody, cwd: '/' }).once('exit', resolve);
      });
      const { bridge } = await bridges.start();
      for (let i = 0; i < 300; i++) {
        bridge.updateLockFile();
        await new Promise((resolve) => setImmediate(resolve));
      }
      fs.writeFileSync(join(seen, 'stop'), '');
      await thief;
      assert.equal(fs.existsSync(join(seen, 'loot')) ? fs.readFileSync(join(seen, 'loot'), 'utf8') : '', '');
    });

    it('refuses a folder, or a configuration folder, that the other user has made', async () => {
      fs.mkdirSync(bridges.lockDir);
      fs.chownSync(bridges.lockDir, nobody, nobody);
      assert.match(await failure(), /belongs to another user/);
      fs.rmdirSync(bridges.lockDir);
      fs.chownSync(bridges.root, nobody, nobody);
      assert.match(await failure(), /Another user may rename/);
      fs.chownSync(bridges.root, 0, 0);
    });

    it('deletes locks that the other user has planted while the folder was open: the CLI would go there', async () => {
      fs.mkdirSync(bridges.lockDir);
      fs.chmodSync(bridges.lockDir, 0o777);
      const script = `echo '{"pid":1,"transport":"ws"}' > ${bridges.lockDir}/4242.lock; mkfifo ${bridges.lockDir}/1.lock`;
      assert.equal(asNobody(script).status, 0);
      const { lock } = await bridges.start();
      assert.deepEqual(fs.readdirSync(bridges.lockDir), [`${lock.port}.lock`]);
    });

    it('without the token is nobody on the socket', async () => {
      const { lock } = await bridges.start();
      const client = `const s=require('net').connect(${lock.port},'127.0.0.1');s.on('data',d=>{process.stdout.write(d);s.destroy()});s.write('GET / HTTP/1.1\\r\\nHost: 127.0.0.1:${lock.port}\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\nSec-WebSocket-Protocol: mcp\\r\\n\\r\\n')`;
      const stdout = await new Promise<string>((resolve) => {
        const options = { uid: nobody, gid: nobody, cwd: '/' };
        execFile(process.execPath, ['-e', client], options, (_error, out) => resolve(out));
      });
      assert.match(stdout, /^HTTP\/1\.1 401/);
    });
  });
});
