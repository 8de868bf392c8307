import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { BridgeProcess, type WindowOptions } from '../support/bridgeProcess.ts';
import { findLocks, IdeClient, type Lock } from '../support/ideClient.ts';
import { TestBridges } from '../support/testBridges.ts';
import { until } from '../support/until.ts';

describe('a bridge in a process of its own', function () {
  this.timeout(60_000);
  let bridges: TestBridges;
  let windows: BridgeProcess[];

  beforeEach(() => {
    bridges = new TestBridges();
    windows = [];
  });
  afterEach(async () => {
    windows.forEach(({ child }) => child.kill('SIGKILL'));
    await bridges.cleanUp();
  });

  /** The editor is this process, which lives on. */
  async function open(name: string, options: Partial<WindowOptions> = {}): Promise<[BridgeProcess, Lock]> {
    const known = locks();
    const window = await BridgeProcess.start({
      root: bridges.root,
      name,
      editorPid: process.pid,
      ...options,
    });
    windows.push(window);
    const lock = findLocks(bridges.root).find(({ path }) => !known.includes(path));
    assert.ok(lock);
    return [window, lock];
  }

  const locks = () => findLocks(bridges.root).map(({ path }) => path);
  const connect = ({ port, authToken }: Lock) => IdeClient.connect({ port, token: authToken });

  for (const how of ['stop', 'exit', 'throw']) {
    it(`that ends by itself (${how}) leaves no lock`, async () => {
      const [window] = await open('a');
      await window.end(how);
      assert.deepEqual(locks(), []);
    });
  }

  it('that was killed with the editor alive leaves a ghost, which the next window sweeps', async () => {
    const [window, ghost] = await open('a');
    await window.kill();
    assert.deepEqual(locks(), [ghost.path], 'nobody was there to delete it');
    const [, lock] = await open('b');
    assert.deepEqual(locks(), [lock.path]);
  });

  it('that was killed together with its editor leaves one that the next window sweeps', async () => {
    const editor = spawn('sleep', ['60']);
    assert.ok(editor.pid);
    const [window] = await open('a', { editorPid: editor.pid });
    const gone = once(editor, 'exit');
    editor.kill('SIGKILL');
    await Promise.all([gone, window.kill()]);
    assert.equal(locks().length, 1);
    const [, lock] = await open('b');
    assert.deepEqual(locks(), [lock.path]);
  });

  it('that was killed and comes back at once has port and token again', async () => {
    const [window, before] = await open('a');
    await window.kill();
    fs.rmSync(before.path);
    const [, after] = await open('a');
    assert.deepEqual([after.port, after.authToken], [before.port, before.authToken]);
  });

  it('that was killed and comes back after the CLIs gave up has a new token', async () => {
    const [window, before] = await open('a');
    await window.kill();
    fs.rmSync(before.path);
    const file = join(bridges.root, 'a', 'bridge.json');
    const alive = fs.statSync(file).mtimeMs / 1000;
    fs.utimesSync(file, alive - 17, alive - 17);
    const [, after] = await open('a');
    assert.equal(after.port, before.port);
    assert.notEqual(after.authToken, before.authToken);
  });

  it('says every now and then that it is alive, since a crash leaves no time for it', async () => {
    await open('a');
    const file = join(bridges.root, 'a', 'bridge.json');
    fs.utimesSync(file, 1, 1);
    await until('a sign of life', () => Date.now() - fs.statSync(file).mtimeMs < 5_000);
  });

  it('that sleeps keeps its lock when another window starts, and its clients when it wakes', async () => {
    const [window, lock] = await open('a', { pingInterval: 50 });
    const client = await connect(lock);
    window.child.kill('SIGSTOP');
    await open('b');
    assert.ok(fs.existsSync(lock.path));
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // as many pings as 20 that are missed
    window.child.kill('SIGCONT');
    assert.deepEqual(await client.callForTexts('hello'), ['hello']);
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.deepEqual(await client.callForTexts('hello'), ['hello']);
    await client.close();
  });

  it('drops a client that sleeps, and takes it in again when it wakes', async () => {
    const { bridge, lock } = await bridges.start({ pingInterval: 100 });
    const script = `
      const { WebSocket } = require('ws');
      const connect = () => {
        const socket = new WebSocket('ws://127.0.0.1:${lock.port}', ['mcp'], {
          headers: { 'x-claude-code-ide-authorization': '${lock.authToken}' },
        });
        socket.on('close', connect).on('error', () => {}).on('open', () => {
          const params = { protocolVersion: '2025-11-25', capabilities: {} };
          socket.send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
          socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
        });
      };
      connect();`;
    const client = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    try {
      await until('it', () => bridge.sessions.size === 1);
      const [first] = bridge.sessions;
      client.kill('SIGSTOP');
      await until('the drop', () => bridge.sessions.size === 0);
      client.kill('SIGCONT');
      await until('it again', () => bridge.sessions.size === 1);
      assert.ok(first && !bridge.sessions.has(first));
    } finally {
      client.kill('SIGKILL');
    }
  });
});
