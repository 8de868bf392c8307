import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openDiff, type Outcome } from '../../src/tools/openDiff.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
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
    // What this process may take to answer two pings: it shares a busy machine.
    const pingInterval = 500;
    const [window, lock] = await open('a', { pingInterval });
    const client = await connect(lock);
    window.child.kill('SIGSTOP');
    await open('b');
    assert.ok(fs.existsSync(lock.path));
    await new Promise((resolve) => setTimeout(resolve, 4 * pingInterval)); // two that are missed are the end
    window.child.kill('SIGCONT');
    assert.deepEqual(await client.callForTexts('hello'), ['hello']);
    await new Promise((resolve) => setTimeout(resolve, 3 * pingInterval));
    assert.deepEqual(await client.callForTexts('hello'), ['hello']);
    await client.close();
  });

  for (const sleepers of ['editor', 'editor and client']) {
    it(`whose ${sleepers} slept for longer than two pings keeps its lock and the proposal under review`, async () => {
      const [window, lock] = await open('a', { pingInterval: 1_000 });
      const client = new ClientProcess(lock);
      try {
        await until('the proposal', () => client.answered(proposalIsOpen));
        const asleep = sleepers === 'editor' ? [window.child] : [window.child, client.child];
        asleep.forEach((child) => child.kill('SIGSTOP'));
        await new Promise((resolve) => setTimeout(resolve, 4_000));
        asleep.forEach((child) => child.kill('SIGCONT'));
        await new Promise((resolve) => setTimeout(resolve, 2_500)); // two pings more
        window.accept();
        const answer = await until('the verdict', () => client.answered(verdict));
        assert.match(answer, /FILE_SAVED/);
        assert.equal(client.connections, 1);
        assert.deepEqual(locks(), [lock.path]);
      } finally {
        client.child.kill('SIGKILL');
      }
    });
  }

  it('drops a client that sleeps, withdraws its proposal, and takes it in again when it wakes', async () => {
    let withdrawn = 0;
    const review = (_request: unknown, signal: AbortSignal) =>
      new Promise<Outcome>((resolve) =>
        signal.addEventListener('abort', () => {
          withdrawn++;
          resolve({ kind: 'withdrawn' });
        }),
      );
    const tools = new ToolRegistry([openDiff({ review })], bridges.log);
    const { bridge, lock } = await bridges.start({ pingInterval: 100, tools });
    const client = new ClientProcess(lock);
    try {
      await until('the proposal', () => client.answered(proposalIsOpen));
      const [first] = bridge.sessions;
      client.child.kill('SIGSTOP');
      await until('the drop', () => bridge.sessions.size === 0);
      assert.equal(withdrawn, 1);
      client.child.kill('SIGCONT');
      await until('it again', () => bridge.sessions.size === 1);
      assert.ok(first && !bridge.sessions.has(first));
    } finally {
      client.child.kill('SIGKILL');
    }
  });
});

/** Ids of its requests. */
const [handshake, verdict, proposalIsOpen] = [0, 1, 2];

/** A client in a process of its own: proposes an edit, and connects again, as the CLI does, when it was cut off. */
class ClientProcess {
  readonly child: ChildProcess;
  private readonly lines: string[] = [];

  constructor({ port, authToken }: Lock) {
    const params = { protocolVersion: '2025-11-25', capabilities: {} };
    const proposal = { old_file_path: '/ws/a.ts', new_file_contents: 'a\n', tab_name: 'a' };
    const messages = [
      { id: handshake, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: verdict, method: 'tools/call', params: { name: 'openDiff', arguments: proposal } },
      { id: proposalIsOpen, method: 'ping' },
    ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
    const script = `
      const { WebSocket } = require('ws');
      const connect = () => {
        const socket = new WebSocket('ws://127.0.0.1:${port}', ['mcp'], {
          headers: { 'x-claude-code-ide-authorization': '${authToken}' },
        });
        socket.on('close', connect).on('error', () => {}).on('message', (data) => console.log(String(data)));
        socket.on('open', () => ${JSON.stringify(messages)}.forEach((message) => socket.send(message)));
      };
      connect();`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    createInterface(child.stdout).on('line', (line) => this.lines.push(line));
    this.child = child;
  }

  get connections(): number {
    return this.lines.filter((line) => idOf(line) === handshake).length;
  }

  /** The answer to that request, if it is there. */
  answered(id: number): string | undefined {
    return this.lines.find((line) => idOf(line) === id);
  }
}

function idOf(line: string): unknown {
  return (JSON.parse(line) as { id?: unknown }).id;
}
