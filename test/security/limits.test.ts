import assert from 'node:assert/strict';
import { connect } from 'node:net';
import * as z from 'zod';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { defineTool, text } from '../../src/tools/tool.ts';
import { IdeClient } from '../support/ideClient.ts';
import { TestBridges, upgradeRequest } from '../support/testBridges.ts';
import { until } from '../support/until.ts';

describe('a greedy or silent client', function () {
  this.timeout(60_000);
  let bridges: TestBridges;

  beforeEach(() => {
    bridges = new TestBridges();
  });
  afterEach(() => bridges.cleanUp());

  it('that sends its handshake byte by byte is dropped after five seconds', async () => {
    const { lock } = await bridges.start();
    const socket = bridges.socket(lock);
    const bytes = upgradeRequest(lock);
    let sent = 0;
    const drip = setInterval(() => socket.write(bytes.charAt(sent++)), 100);
    try {
      await until('it to be dropped', () => socket.closed, 15_000);
    } finally {
      clearInterval(drip);
    }
    assert.ok(sent < bytes.length);
  });

  it('that was refused and does not hang up is hung up on', async () => {
    const { lock } = await bridges.start();
    const socket = connect({ host: '127.0.0.1', port: lock.port, allowHalfOpen: true });
    socket.on('error', () => {}).resume();
    socket.write(upgradeRequest(lock, { Host: 'evil' }));
    await until('the end of the answer', () => socket.readableEnded);
    // What is written to a socket that the server has forgotten is answered by a reset.
    await until('the reset', () => socket.destroyed || !socket.write('x'.repeat(1_000)));
    await until('the close', () => socket.closed);
  });

  it('there are 256 at most, and a place is free again when one goes', async () => {
    const { bridge, lock } = await bridges.start();
    const clients = await Promise.all(Array.from({ length: 256 }, () => bridges.connect(lock)));
    await until('all', () => bridge.sessions.size === 256);
    await assert.rejects(IdeClient.open({ port: lock.port, token: lock.authToken }), /503/);
    await clients[0]?.close();
    await until('a place', () => bridge.sessions.size === 255);
    await bridges.connect(lock);
  });

  it('that never reads is cut off before it fills the memory', async () => {
    const big = defineTool({
      name: 'big',
      description: '',
      input: z.object({}),
      run: () => text('x'.repeat(4 * 1024 * 1024)),
    });
    const { bridge, lock } = await bridges.start({ tools: new ToolRegistry([big], bridges.log) });
    const [greedy, other] = [await bridges.connect(lock), await bridges.connect(lock)];
    greedy.socket.pause();
    for (let i = 0; i < 60; i++) {
      greedy.start('tools/call', { name: 'big' });
    }
    await until('the cut', () => bridge.sessions.size === 1, 30_000);
    assert.equal((await other.callForTexts('big'))[0]?.length, 4 * 1024 * 1024);
  });

  describe('in one second', () => {
    const realClock = performance.now.bind(performance);
    let clock: number;
    const batch = JSON.stringify(Array(100).fill({ jsonrpc: '2.0', method: 'nothing' }));

    beforeEach(() => {
      clock = 1e6;
      performance.now = () => clock; // a slow machine shall not make the second too short
    });
    afterEach(() => {
      performance.now = realClock;
    });

    it('with more than 10,000 messages is told so and cut off; others are served', async () => {
      const { bridge, lock } = await bridges.start();
      const [greedy, other] = [await bridges.connect(lock), await bridges.connect(lock)];
      const reason = new Promise<string>((resolve) =>
        greedy.socket.once('close', (code, text) => resolve(`${code} ${text.toString()}`)),
      );
      for (let i = 0; i < 100; i++) {
        greedy.socket.send(batch);
      }
      assert.equal(await reason, '1008 More than 10000 messages in a second');
      await until('one session', () => bridge.sessions.size === 1);
      assert.deepEqual(await other.callForTexts('hello'), ['hello']);
      assert.equal(bridges.log.lines.filter((line) => line.includes('More than 10000')).length, 1);
    });

    it('with 9,000 is let be, also in the next', async () => {
      const { lock } = await bridges.start();
      const client = await bridges.connect(lock);
      for (let second = 0; second < 3; second++) {
        for (let i = 0; i < 90; i++) {
          client.socket.send(batch);
        }
        assert.deepEqual(await client.callForTexts('hello'), ['hello']);
        clock += 1_000;
      }
    });
  });

  it('whose other end is gone without a word is found by two pings', async () => {
    const { lock } = await bridges.start({ pingInterval: 50 });
    const alive = await bridges.connect(lock);
    const gone = await bridges.upgradedSocket(lock); // answers no ping, as a machine that sleeps
    await until('the drop', () => gone.closed);
    assert.deepEqual(await alive.callForTexts('hello'), ['hello']);
  });

  it('is not taken for gone when this machine slept or the event loop was blocked', async () => {
    const { bridge, lock } = await bridges.start({ pingInterval: 50 });
    const client = await bridges.connect(lock);
    await until('it', () => bridge.sessions.size === 1);
    for (let i = 0; i < 5; i++) {
      const end = Date.now() + 400;
      while (Date.now() < end) {
        // as long as many pings
      }
      assert.deepEqual(await client.callForTexts('hello'), ['hello']);
    }
    assert.equal(bridge.sessions.size, 1);
  });

  it('in a flood of upgrades without the token keeps nobody out', async () => {
    const { lock } = await bridges.start();
    for (let i = 0; i < 300; i++) {
      bridges.socket(lock).write(upgradeRequest(lock, { 'X-Claude-Code-Ide-Authorization': `${i}` }));
    }
    const client = await bridges.connect(lock);
    assert.deepEqual(await client.callForTexts('hello'), ['hello']);
  });
});
