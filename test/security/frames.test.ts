import assert from 'node:assert/strict';
import { brokenFrame, randomizer, unwelcomeFrame } from '../support/hostileFrames.ts';
import type { Lock } from '../support/ideClient.ts';
import { memoryInUse } from '../support/memory.ts';
import { TestBridges } from '../support/testBridges.ts';
import { until } from '../support/until.ts';

const connections = 1_000;
const framesEach = 50;

describe('50,000 hostile frames', function () {
  this.timeout(180_000);
  let bridges: TestBridges;

  before(() => {
    bridges = new TestBridges();
  });
  after(() => bridges.cleanUp());

  async function attack(lock: Lock, seed: number): Promise<void> {
    const random = randomizer(seed);
    const frames = Array.from({ length: framesEach - 1 }, () => unwelcomeFrame(random));
    const isMannered = random(4) === 0;
    const last = isMannered ? unwelcomeFrame(random) : brokenFrame(random);
    const socket = await bridges.upgradedSocket(lock);
    socket.resume();
    const bytes = Buffer.concat([...frames, last]);
    // In pieces that know nothing of frames.
    for (let start = 0; start < bytes.length;) {
      const end = start + 1 + random(20_000);
      socket.write(bytes.subarray(start, end));
      start = end;
    }
    if (isMannered) {
      socket.destroy();
    }
    await until(`the end of connection ${seed}`, () => socket.closed);
  }

  it('end those connections and nothing else, and leave no memory in use', async () => {
    const { bridge, lock } = await bridges.start();
    const bystander = await bridges.connect(lock);
    // What is compiled and cached once counts as used before.
    await Promise.all(Array.from({ length: 50 }, (_, index) => attack(lock, -index)));
    const before = await memoryInUse();
    for (let seed = 0; seed < connections; seed += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => attack(lock, seed + index)));
      bridges.log.lines.length = 0;
    }
    await until('the bystander alone', () => bridge.sessions.size === 1);
    assert.deepEqual(await bystander.callForTexts('hello'), ['hello']);
    const fresh = await bridges.connect(lock);
    assert.deepEqual(await fresh.callForTexts('hello'), ['hello']);
    await fresh.close();
    bridges.forgetSockets();
    const grown = (await memoryInUse()) - before;
    assert.ok(grown < 8 * 1024 * 1024, `${grown} bytes more are in use`);
  });
});
