import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { memoryInUse } from '../support/memory.ts';
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
