import assert from 'node:assert/strict';
import { inFormFor, Mentions } from '../../../src/mentions/mentions.ts';
import type { AtMentioned } from '../../../src/protocol/ide.ts';
import { TestBridges } from '../../support/testBridges.ts';
import { until } from '../../support/until.ts';

const cell = { filePath: '/w/a.ipynb', cellId: 'c1' };
const cli = (version: string) => ({ name: 'claude-code', version });

describe('a mention', () => {
  it('names the cell of a notebook in its path, for CLIs that read it from there', () => {
    assert.deepEqual(inFormFor(cli('2.1.330'), cell), { filePath: '/w/a.ipynb#c1' });
    assert.deepEqual(inFormFor(cli('2.1.110'), { ...cell, filePath: '/w/a b.ipynb' }), {
      filePath: '"/w/a b.ipynb#c1"',
    });
    for (const version of ['2.1.20', '2.0.77', '1.0.128']) {
      assert.deepEqual(inFormFor(cli(version), cell), { filePath: '/w/a.ipynb' });
    }
  });

  it('goes to other clients as it is', () => {
    assert.deepEqual(inFormFor({ name: 'other', version: '9' }, cell), cell);
  });

  it('brings quotes for a space, with the lines inside', () => {
    const lines = { filePath: '/w/a b.txt', lineStart: 1, lineEnd: 3 };
    assert.deepEqual(inFormFor(cli('2.0.77'), lines), { filePath: '"/w/a b.txt#L2-4"' });
    assert.deepEqual(inFormFor(cli('2.0.77'), { ...lines, filePath: '/w/a.txt' }), {
      ...lines,
      filePath: '/w/a.txt',
    });
  });
});

describe('mentions', () => {
  const [a, b, c] = ['/w/a.txt', '/w/b.txt', '/w/c.txt'].map((filePath) => ({ filePath }));
  assert.ok(a && b && c);
  let bridges: TestBridges;
  let kept: Map<string, unknown>;

  beforeEach(() => {
    bridges = new TestBridges();
    kept = new Map();
  });
  afterEach(() => bridges.cleanUp());

  /** As VS Code's own: what is put there is a copy. */
  const memory = {
    get: <T>(key: string, otherwise: T): T => (kept.has(key) ? (kept.get(key) as T) : otherwise),
    update: async (key: string, value: unknown) => void kept.set(key, structuredClone(value)),
  };
  /** What a window would find that comes next. */
  const left = () => [...kept.values()].flatMap((value) => (value as AtMentioned[] | undefined) ?? []);

  it('are kept for the next window until they are sent, also while the session warms up', async () => {
    const { bridge, lock } = await bridges.start();
    const mentions = new Mentions(bridge, memory);
    mentions.keep([a]);
    assert.deepEqual(left(), [a]);
    const client = await bridges.connect(lock);
    await client.request('ping');
    const [session] = bridge.sessions;
    assert.ok(session);
    assert.equal(mentions.waiting, 0);
    assert.deepEqual(left(), [a]);
    const sent = mentions.send(session, [b]);
    mentions.keep([c]);
    assert.deepEqual(left(), [a, b, c]);
    await sent;
    await until('both', () => client.notifications('at_mentioned').length === 2);
    assert.deepEqual(left(), [c]);
    mentions.discard();
    assert.deepEqual(left(), []);
    mentions.dispose();
  });

  it('wait for the next session when theirs goes before it could take them', async () => {
    const { bridge, lock } = await bridges.start();
    const mentions = new Mentions(bridge, memory);
    mentions.keep([a, b]);
    const client = await bridges.connect(lock);
    await client.request('ping');
    const [session] = bridge.sessions;
    await client.close();
    await until('the session to be gone', () => session?.isOpen === false);
    assert.deepEqual(left(), [a, b]);
    await until('both to wait', () => mentions.waiting === 2);
    assert.deepEqual(left(), [a, b]);
    mentions.dispose();
  });

  it('are not sent when they are discarded while the session warms up', async () => {
    const { bridge, lock } = await bridges.start();
    const mentions = new Mentions(bridge, memory);
    mentions.keep([a]);
    const client = await bridges.connect(lock);
    await client.request('ping');
    mentions.discard();
    assert.deepEqual(left(), []);
    const [session] = bridge.sessions;
    assert.ok(session);
    await mentions.send(session, [b]); // which has to wait its turn
    await until('the later one', () => client.notifications('at_mentioned').length > 0);
    assert.deepEqual(client.notifications('at_mentioned'), [b]);
    mentions.dispose();
  });
});
