import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { type AddressInfo, createServer, type ListenOptions, Server } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { WebSocket } from 'ws';
import type { Bridge } from '../../../src/server/bridge.ts';
import { findLocks, IdeClient } from '../../support/ideClient.ts';
import { SdkTransport } from '../../support/sdkTransport.ts';
import { TestBridges } from '../../support/testBridges.ts';
import { until } from '../../support/until.ts';

describe('bridge', () => {
  let bridges: TestBridges;

  beforeEach(() => {
    bridges = new TestBridges();
  });
  afterEach(() => bridges.cleanUp());

  it('writes a lock by which a client can connect and call a tool', async () => {
    const { lock } = await bridges.start();
    assert.ok(lock.port >= 10_000 && lock.port <= 65_535);
    assert.equal(lock.pid, process.pid);
    assert.equal(lock.transport, 'ws');
    assert.deepEqual(lock.workspaceFolders, ['/ws']);
    const client = await bridges.connect(lock);
    assert.deepEqual(await client.callForTexts('hello'), ['hello']);
  });

  it('serves several clients and tells when they come and go', async () => {
    const { bridge, lock } = await bridges.start();
    const first = await bridges.connect(lock);
    const second = await bridges.connect(lock);
    await until('two sessions', () => bridge.sessions.size === 2);
    await first.close();
    await until('one session', () => bridge.sessions.size === 1);
    assert.deepEqual(await second.callForTexts('hello'), ['hello']);
  });

  it('offers other tools at a path of their own, to clients that are no sessions', async () => {
    const { bridge, lock } = await bridges.start();
    const tool = { name: 'look', description: '', inputSchema: { type: 'object' } };
    bridge.endpoints.set('/other', {
      isOn: true,
      list: async () => [tool],
      call: async () => ({ content: [{ type: 'text', text: 'looked' }] }),
    });
    const told: string[] = [];
    bridge.onDidTell(({ what, session }) => told.push(`${what} to ${session.label}`));
    const client = new Client({ name: 'sdk', version: '1.0.0' });
    await client.connect(new SdkTransport(lock.port, lock.authToken, '/other'));
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['look'],
    );
    await client.callTool({ name: 'look' });
    assert.deepEqual(told, ['look to a client of /other']);
    assert.equal(bridge.sessions.size, 0);
    const session = await bridges.connect(lock);
    assert.deepEqual(await session.callForTexts('hello'), ['hello']);
    assert.deepEqual(
      [...bridge.sessions].map(({ label }) => label),
      ['Claude 1'],
    );
    const refused = new SdkTransport(lock.port, 'wrong', '/other');
    await assert.rejects(refused.start(), /401/);
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    await bridge.stop();
    await closed;
  });

  it('counts a session when its handshake is done, not before', async () => {
    const { bridge, lock } = await bridges.start();
    const socket = await IdeClient.open({ port: lock.port, token: lock.authToken });
    await socket.request('ping');
    assert.equal(bridge.sessions.size, 0);
    const client = await bridges.connect(lock);
    await client.request('ping');
    assert.equal(bridge.sessions.size, 1);
    await socket.close();
    await client.close();
  });

  it('rewrites the lock when folders change', async () => {
    const { bridge } = await bridges.start();
    bridges.folders = ['/ws', '/other'];
    bridge.updateLockFile();
    assert.deepEqual(bridges.lock().workspaceFolders, ['/ws', '/other']);
  });

  it('stops without a trace, and starts again', async () => {
    const { bridge, lock } = await bridges.start();
    const client = await bridges.connect(lock);
    await bridge.stop();
    assert.deepEqual(findLocks(bridges.root), []);
    assert.ok([1001, 1006].includes(await client.closed));
    await assert.rejects(IdeClient.open({ port: lock.port, token: lock.authToken }), /ECONNREFUSED/);
    await bridge.start();
    await bridges.connect(bridges.lock());
  });

  it('tells the official MCP SDK’s client when the tools have changed', async () => {
    const { bridge, lock } = await bridges.start();
    const client = new Client({ name: 'sdk', version: '1.0.0' });
    let told = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++);
    await client.connect(new SdkTransport(lock.port, lock.authToken));
    await client.listTools(); // by then the bridge has seen that the client is initialized
    bridge.broadcast('notifications/tools/list_changed', {});
    await until('the notification', () => told === 1);
    assert.equal((await client.listTools()).tools[0]?.name, 'hello');
    await client.close();
  });

  it('survives starts and stops in any order', async () => {
    const bridge = bridges.create();
    await Promise.all([
      bridge.start(),
      bridge.start(),
      bridge.stop(),
      bridge.restart(),
      bridge.stop(),
      bridge.start(),
    ]);
    assert.equal(bridge.state.kind, 'listening');
    await bridges.connect(bridges.lock());
  });

  describe('port and token', () => {
    const isResumed = ({ bridge: { state } }: { bridge: Bridge }) =>
      state.kind === 'listening' && state.isResumed;

    it('stay the same over a window reload', async () => {
      const first = await bridges.start();
      await first.bridge.stop();
      const second = await bridges.start();
      assert.equal(second.lock.port, first.lock.port);
      assert.equal(second.lock.authToken, first.lock.authToken);
      assert.deepEqual([isResumed(first), isResumed(second)], [false, true]);
    });

    it('the token is new when the editor is', async () => {
      const first = await bridges.start();
      await first.bridge.stop();
      const second = await bridges.start({ editorPid: process.ppid });
      assert.equal(second.lock.port, first.lock.port);
      assert.notEqual(second.lock.authToken, first.lock.authToken);
    });

    it('the token is new when the CLIs have given up reconnecting', async () => {
      const first = await bridges.start();
      await first.bridge.stop();
      const file = join(bridges.root, 'storage', 'bridge.json');
      const longAgo = fs.statSync(file).mtimeMs / 1000 - 17;
      fs.utimesSync(file, longAgo, longAgo);
      const second = await bridges.start();
      assert.equal(second.lock.port, first.lock.port);
      assert.notEqual(second.lock.authToken, first.lock.authToken);
      assert.equal(isResumed(second), false);
    });

    it('are both new when somebody else has the port', async () => {
      const first = await bridges.start();
      await first.bridge.stop();
      const squatter = createServer();
      await new Promise<void>((resolve) => squatter.listen(first.lock.port, '127.0.0.1', resolve));
      const second = await bridges.start();
      squatter.close();
      assert.notEqual(second.lock.port, first.lock.port);
      assert.notEqual(second.lock.authToken, first.lock.authToken);
      assert.equal(isResumed(second), false);
    });

    it('stay those of the newer window when an older one, cut off from its own, ends later', async () => {
      const older = await bridges.start();
      const newer = bridges.create();
      await newer.start();
      const { port } = newer;
      await older.bridge.stop();
      await newer.restart();
      assert.equal(newer.port, port);
    });

    for (const content of ['', 'null', '{"port":-1,"token":"x","editorPid":1}', '{"port":22}', '[]']) {
      it(`are new when the file that remembers them is spoilt: ${content}`, async () => {
        fs.mkdirSync(join(bridges.root, 'storage'));
        fs.writeFileSync(join(bridges.root, 'storage', 'bridge.json'), content);
        await bridges.connect((await bridges.start()).lock);
      });
    }

    it('are remembered in a file for the user alone', async () => {
      await bridges.start();
      assert.equal(fs.statSync(join(bridges.root, 'storage', 'bridge.json')).mode & 0o777, 0o600);
    });
  });

  describe('a failed start', () => {
    it('is a state with what to do, frees the port, and can be tried again', async () => {
      fs.writeFileSync(bridges.lockDir, 'a file where the folder should be');
      const bridge = bridges.create();
      await bridge.start();
      assert.equal(bridge.state.kind, 'failed');
      assert.match(bridge.state.kind === 'failed' ? bridge.state.error.message : '', /restart the bridge/);
      fs.rmSync(bridges.lockDir);
      await bridge.start();
      assert.equal(bridge.state.kind, 'listening');
    });

    it('is told once while it is tried again, whichever ports were taken', async () => {
      const squatters = Array.from({ length: 3 }, () => createServer().listen(0, '127.0.0.1'));
      await Promise.all(squatters.map((squatter) => once(squatter, 'listening')));
      // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its server below
      const { listen } = Server.prototype;
      let tries = 0;
      Server.prototype.listen = function (this: Server, options: ListenOptions) {
        const squatter = squatters[++tries % squatters.length]?.address() as AddressInfo;
        return listen.call(this, { ...options, port: squatter.port });
      } as typeof listen;
      const bridge = bridges.create({ checkInterval: 20 });
      const told: string[] = [];
      bridge.onDidChangeState((state) =>
        told.push(state.kind === 'failed' ? state.error.message : state.kind),
      );
      try {
        await bridge.start();
        await until('four starts', () => tries >= 4 * 20);
      } finally {
        Server.prototype.listen = listen;
        squatters.forEach((squatter) => squatter.close());
      }
      await until('a start that succeeds', () => bridge.state.kind === 'listening');
      assert.match(told[1] ?? '', /could not start: .*EADDRINUSE/);
      assert.deepEqual(told, ['starting', told[1], 'listening']);
    });
  });

  it('answers any path, and tells a plain request that this is a WebSocket server', async () => {
    const { lock } = await bridges.start();
    const socket = new WebSocket(`ws://127.0.0.1:${lock.port}/mcp`, ['mcp'], {
      headers: { 'x-claude-code-ide-authorization': lock.authToken },
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.terminate();
    const response = await fetch(`http://127.0.0.1:${lock.port}/sse`);
    assert.equal(response.status, 426);
  });

  describe('hostile clients', () => {
    it('a flood of silent connections keeps nobody out, and is dropped', async () => {
      const { lock } = await bridges.start();
      let dropped = 0;
      for (let i = 0; i < 200; i++) {
        bridges.socket(lock).on('close', () => dropped++);
      }
      const client = await bridges.connect(lock);
      assert.deepEqual(await client.callForTexts('hello'), ['hello']);
      await until('the oldest to be dropped', () => dropped >= 168);
    });

    it('a frame over 16 MB closes that connection only', async () => {
      const { lock } = await bridges.start();
      const [greedy, other] = [await bridges.connect(lock), await bridges.connect(lock)];
      greedy.socket.send('x'.repeat(16 * 1024 * 1024 + 1));
      await greedy.closed;
      assert.deepEqual(await other.callForTexts('hello'), ['hello']);
    });

    it('a binary frame closes that connection only', async () => {
      const { lock } = await bridges.start();
      const [odd, other] = [await bridges.connect(lock), await bridges.connect(lock)];
      odd.socket.send(Buffer.from([1, 2, 3]));
      assert.equal(await odd.closed, 1003);
      assert.deepEqual(await other.callForTexts('hello'), ['hello']);
    });

    it('malformed JSON is answered, and the session goes on', async () => {
      const { lock } = await bridges.start();
      const client = await bridges.connect(lock);
      client.socket.send('{nonsense');
      await until('an error', () => client.received.some(({ error }) => error?.code === -32700));
      assert.deepEqual(await client.callForTexts('hello'), ['hello']);
    });
  });
});
