import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/emitter.ts';
import {
  describeMentions,
  inFormFor,
  type Memory,
  Mentions,
  type Prompts,
} from '../../../src/mentions/mentions.ts';
import { kindOf, WaitingReasons } from '../../../src/mentions/waitingReasons.ts';
import type { AtMentioned } from '../../../src/protocol/ide.ts';
import type { Bridge } from '../../../src/server/bridge.ts';
import type { IdeClient, Lock } from '../../support/ideClient.ts';
import type { Session } from '../../../src/server/session.ts';
import { TestBridges } from '../../support/testBridges.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';

const cell = { filePath: '/w/a.ipynb', cellId: 'c1' };
const cli = (version: string) => ({ name: 'claude-code', version });

/** As VS Code's own: what is put there is a copy. */
function memoryIn(kept: Map<string, unknown>): Memory {
  return {
    get: <T>(key: string, otherwise: T): T => (kept.has(key) ? (kept.get(key) as T) : otherwise),
    update: (key, value) => {
      if (value === undefined) {
        kept.delete(key);
      } else {
        kept.set(key, structuredClone(value));
      }
      return Promise.resolve();
    },
  };
}

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

  it('is named by its file, and several of one file as such', () => {
    const [a, b] = [{ filePath: '/w/a.txt' }, { filePath: '/v/a.txt' }];
    const part = { ...a, lineStart: 0, lineEnd: 3 };
    assert.equal(describeMentions([a]), 'a.txt');
    assert.equal(describeMentions([part]), 'a.txt');
    assert.equal(describeMentions([part, { ...part, lineStart: 2 }]), '2 selections of a.txt');
    assert.equal(describeMentions([cell, { ...cell, cellId: 'c2' }]), '2 selections of a.ipynb');
    assert.equal(describeMentions([a, part]), 'a.txt', 'the whole of it is no selection');
    assert.equal(describeMentions([a, b]), 'a.txt and 1 more', 'another one of that name');
    assert.equal(describeMentions([part, { ...part, lineStart: 2 }, b, cell]), 'a.txt and 2 more');
  });
});

describe('mentions', () => {
  const [a, b, c] = ['/w/a.txt', '/w/b.txt', '/w/c.txt'].map((filePath) => ({ filePath }));
  assert.ok(a && b && c);
  let bridges: TestBridges;
  let kept: Map<string, unknown>;
  let memory: Memory;

  beforeEach(() => {
    bridges = new TestBridges();
    kept = new Map();
    memory = memoryIn(kept);
  });
  afterEach(() => bridges.cleanUp());

  const openPrompts: Prompts = {
    isOpen: () => true,
    onDidChange: new Emitter<Session>().event,
  };
  /** What a window would find that comes next. */
  const left = () =>
    [...kept.values()].flatMap((value) =>
      ((value as AtMentioned[] | undefined) ?? []).map(({ filePath }) => ({ filePath })),
    );

  it('are kept for the next window until they are sent, also while the session warms up', async () => {
    const { bridge, lock } = await bridges.start();
    const mentions = new Mentions(bridge, memory, openPrompts);
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
    const mentions = new Mentions(bridge, memory, openPrompts);
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
    const mentions = new Mentions(bridge, memory, openPrompts);
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

  it('that waited for a session of which nothing tells wait for the word of the user, and can be sent again', async () => {
    const { bridge, lock } = await bridges.start();
    const mentions = new Mentions(bridge, memory, { ...openPrompts, isOpen: () => undefined });
    const delivered: string[] = [];
    mentions.onDidSendWaiting(({ mentions }) => delivered.push(...mentions.map(({ filePath }) => filePath)));
    mentions.keep([a]);
    const client = await bridges.connect(lock);
    await client.request('ping');
    const sent = () => client.notifications('at_mentioned');
    await pause(2_000); // longer than it warms up
    const [session] = mentions.waitingForWord;
    assert.ok(session);
    assert.deepEqual([sent(), mentions.waitingForPrompt, left(), mentions.lastSent], [[], 1, [a], undefined]);
    mentions.sendNow(session);
    await until('it', () => sent().length === 1);
    await until('it to be told', () => delivered.length === 1);
    assert.deepEqual([delivered, mentions.waitingForWord, left()], [['/w/a.txt'], [], []]);
    assert.deepEqual(mentions.lastSent, { session, mentions: [a] });
    await mentions.send(session, mentions.lastSent.mentions);
    assert.deepEqual(sent(), [a, a]);
    await client.close();
    await until('the session to be gone', () => !session.isOpen);
    assert.equal(mentions.lastSent, undefined);
    mentions.dispose();
  });

  describe('for a session that asks something', () => {
    let asking: boolean;
    let changed: Emitter<Session>;
    let mentions: Mentions;
    let bridge: Bridge;
    let lock: Lock;
    let client: IdeClient;
    let session: Session;

    beforeEach(async () => {
      asking = true;
      changed = new Emitter();
      ({ bridge, lock } = await bridges.start());
      mentions = new Mentions(bridge, memory, {
        isOpen: () => !asking,
        onDidChange: changed.event,
      });
      client = await bridges.connect(lock);
      await client.request('ping');
      const [only] = bridge.sessions;
      assert.ok(only);
      session = only;
    });
    afterEach(() => mentions.dispose());

    const sent = () => client.notifications('at_mentioned');
    const change = (isAsking: boolean) => {
      asking = isAsking;
      changed.fire(session);
    };

    it('wait, one after the other, until that is answered, and are kept for the next window', async () => {
      const all = mentions.send(session, [a, b]);
      await until('both to wait', () => mentions.waitingForPrompt === 2);
      change(true); // the next question
      assert.equal(mentions.waiting, 0);
      assert.deepEqual([sent(), left()], [[], [a, b]]);
      change(false);
      await all;
      await until('both', () => sent().length === 2);
      assert.deepEqual([sent(), left()], [[a, b], []]);
      assert.equal(mentions.waitingForPrompt, 0);
    });

    it('wait for that session after a reload, and for the next one where it has ended', async () => {
      void mentions.send(session, [a]);
      await until('one to wait', () => mentions.waitingForPrompt === 1);
      kept = structuredClone(kept);
      const reloaded = new Mentions(bridge, memoryIn(kept), openPrompts);
      const other = await bridges.connect(lock, process.ppid);
      await other.request('ping');
      assert.equal(reloaded.waiting, 1);
      const same = await bridges.connect(lock);
      await until('the mention', () => same.notifications('at_mentioned').length === 1);
      assert.deepEqual(same.notifications('at_mentioned'), [a]);
      assert.deepEqual([other.notifications('at_mentioned'), left()], [[], []]);
      reloaded.dispose();

      kept.set('waitingMentions', [{ ...b, pid: 2 ** 30 }]);
      const later = new Mentions(bridge, memoryIn(kept), openPrompts);
      const next = await bridges.connect(lock, process.ppid);
      await until('the other mention', () => next.notifications('at_mentioned').length === 1);
      assert.deepEqual(next.notifications('at_mentioned'), [b]);
      later.dispose();
    });

    it('are discarded', async () => {
      const all = mentions.send(session, [a]);
      await until('one to wait', () => mentions.waitingForPrompt === 1);
      mentions.discard();
      assert.equal(mentions.waitingForPrompt, 0);
      await all;
      change(false);
      await mentions.send(session, [b]);
      await until('the later one', () => sent().length > 0);
      assert.deepEqual(sent(), [b]);
    });

    it('are not discarded with those that have no session', async () => {
      void mentions.send(session, [a]);
      await until('one to wait', () => mentions.waitingForPrompt === 1);
      mentions.keep([b]);
      mentions.discardKept();
      assert.deepEqual([mentions.waiting, mentions.waitingForPrompt, left()], [0, 1, [a]]);
      mentions.discard();
    });

    it('wait for the next session when theirs goes unanswered', async () => {
      void mentions.send(session, [a]);
      await until('one to wait', () => mentions.waitingForPrompt === 1);
      await client.close();
      await until('one to wait for a session', () => mentions.waiting === 1);
      assert.equal(mentions.waitingForPrompt, 0);
      assert.deepEqual(left(), [a]);
    });
  });
});

describe('reasons that wait', () => {
  it('are there again after a reload, until they are removed or discarded', () => {
    const memory = memoryIn(new Map());
    const reason = { pid: 7, began: '8', label: 'Claude', name: 'reason for a.txt', words: 'because' };
    const other = { ...reason, words: 'and because' };
    const before = new WaitingReasons(memory);
    let changes = 0;
    before.onDidChange(() => changes++);
    before.add(reason);
    before.add(other);
    before.remove(reason);
    assert.equal(changes, 3);
    assert.deepEqual(new WaitingReasons(memory).all, [other]);
    before.discard();
    assert.deepEqual(new WaitingReasons(memory).all, []);
  });

  it('have their name also where an older version has left them', () => {
    const left = { pid: 7, began: '8', label: 'Claude', fileName: 'a.txt', words: 'because' };
    const memory = memoryIn(new Map([['waitingReasons', [left]]]));
    assert.deepEqual(
      new WaitingReasons(memory).all.map(({ name }) => name),
      ['reason for a.txt'],
    );
  });

  it('tell when they were pasted, before they are gone', () => {
    const waiting = new WaitingReasons(memoryIn(new Map()));
    const reason = {
      pid: 7,
      began: '8',
      label: 'Claude',
      name: 'review with 1 comment',
      words: 'x',
      review: 'r',
    };
    const told: string[] = [];
    waiting.onDidPaste(({ review }) => told.push(`pasted ${review}`));
    waiting.onDidChange(() => told.push(`${waiting.all.length} left`));
    waiting.add(reason);
    waiting.didPaste(reason);
    assert.deepEqual(told, ['1 left', 'pasted r', '0 left']);
  });

  it('are called by what they are', () => {
    const reason = { pid: 7, began: '8', label: 'Claude', name: 'x', words: 'x' };
    const review = { ...reason, review: 'r' };
    assert.deepEqual(
      [kindOf([reason]), kindOf([review]), kindOf([reason, review])],
      ['Reason', 'Review', 'Message'],
    );
  });
});
