import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { Session } from '../../src/server/session.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { memoryInUse } from '../support/memory.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { MemoryTransport } from '../support/memoryTransport.ts';
import { TestBridges } from '../support/testBridges.ts';
import { until } from '../support/until.ts';

describe('a bridge that was started, used and stopped 50 times', function () {
  this.timeout(120_000);

  it('leaves no socket, timer, listener, file or memory behind', async () => {
    const bridges = new TestBridges();
    const bridge = bridges.create({ checkInterval: 10, pingInterval: 10 });
    const round = async () => {
      await bridge.start();
      const clients = [await bridges.connect(bridges.lock()), await bridges.connect(bridges.lock())];
      await clients[0]?.call('hello');
      bridge.updateLockFile();
      await bridge.stop();
      await Promise.all(clients.map((client) => client.closed));
      bridges.forgetSockets();
      bridges.log.lines.length = 0;
    };
    const descriptors = () => (process.platform === 'linux' ? fs.readdirSync('/proc/self/fd').length : 0);
    const held = () => ({
      resources: process
        .getActiveResourcesInfo()
        .filter((name) => name !== 'Timeout')
        .sort(),
      descriptors: descriptors(),
      exitListeners: process.listenerCount('exit'),
      files: fs.readdirSync(bridges.root, { recursive: true }).length,
    });
    try {
      await round();
      await until('the timers of the first round', () => timers() <= 1);
      const [before, memory] = [held(), await memoryInUse()];
      for (let i = 0; i < 50; i++) {
        await round();
      }
      await until('what closes slowly', () => descriptors() <= before.descriptors);
      assert.deepEqual(held(), before);
      await until('the timers', () => timers() <= 1);
      assert.equal(bridge.sessions.size, 0);
      const grown = (await memoryInUse()) - memory;
      assert.ok(grown < 4 * 1024 * 1024, `${grown} bytes more are in use`);
    } finally {
      await bridges.cleanUp();
    }
  });
});

/** One of them is that of `until` itself. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

describe('a client that sends 9.9 MB at a time and goes', function () {
  this.timeout(120_000);
  const size = 9_900_000;
  const nested = (depth: number): string =>
    depth === 0
      ? '""'
      : `[${Array(20)
          .fill(nested(depth - 1))
          .join()}]`;

  for (const [what, frame] of [
    ['of lists in lists', () => `{"jsonrpc":"2.0","method":"x","params":{"x":${nested(5)}}}`],
    ['in a field that is shown', () => `{"jsonrpc":"2.0","method":"${'x'.repeat(size)}"}`],
  ] as const) {
    it(`${what} leaves nothing of it in the memory`, async () => {
      const bridges = new TestBridges();
      try {
        const { bridge, lock } = await bridges.start();
        const sendSome = async (frames: number) => {
          const client = await bridges.connect(lock);
          for (let i = 0; i < frames; i++) {
            client.socket.send(frame());
            await client.request('ping');
          }
          await client.close();
          await until('it to be gone', () => bridge.sessions.size === 0);
          bridges.forgetSockets();
          bridges.log.lines.length = 0;
        };
        await sendSome(1);
        const before = await memoryInUse();
        await sendSome(3);
        const grown = (await memoryInUse()) - before;
        assert.ok(grown < 2e6, `${(grown / 1e6).toFixed(1)} MB more`);
      } finally {
        await bridges.cleanUp();
      }
    });
  }

  it('as its name has a short one while it is there', async () => {
    const log = new MemoryLog();
    const info = { name: 't', title: 'T', version: '1' };
    const sessions: Session[] = [];
    const join = async (id: number) => {
      const transport = new MemoryTransport();
      sessions.push(new Session(id, transport, new ToolRegistry([], log), info, log));
      const params = { protocolVersion: '', clientInfo: { name: 'x'.repeat(size), version: '' } };
      await transport.receive({ jsonrpc: '2.0', id, method: 'initialize', params });
    };
    await join(1);
    const before = await memoryInUse();
    await join(2);
    await join(3);
    const grown = (await memoryInUse()) - before;
    assert.ok(grown < 2e6, `${(grown / 1e6).toFixed(1)} MB more`);
    assert.deepEqual(
      sessions.map(({ clientInfo }) => clientInfo?.name.length),
      [60, 60, 60],
    );
    sessions.forEach((session) => session.dispose());
  });
});
