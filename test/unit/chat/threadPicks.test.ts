import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { ThreadPicks } from '../../../src/chat/threadPicks.ts';

describe('picks of threads', () => {
  const kept = new Map<string, unknown>();
  const memento = {
    get: (key: string) => kept.get(key),
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
  } as unknown as Memento;
  const again = () => new ThreadPicks(memento);

  beforeEach(() => kept.clear());

  it('are found in another extension host, each by its own session', () => {
    const picks = again();
    picks.note('s1', { picks: { mode: 'plan' }, model: 'opus' });
    const two = {
      picks: { mode: 'acceptEdits' },
      own: { model: 'm' },
      model: 'haiku',
      isModelHeld: true,
    } as const;
    picks.note('s2', two);
    picks.note('s1', { picks: {} });
    picks.note(undefined, { picks: { mode: 'dontAsk' } });
    const found = again().find('s2');
    assert.deepEqual(found, { ...two, sessionId: 's2' });
    assert.deepEqual([again().find('s1')?.picks, again().find('s3')], [{}, undefined]);
    assert.equal(again().last, 's1');
  });

  it('are kept of the hundred that were used last', () => {
    for (let number = 0; number <= 100; number++) {
      again().note(`s${number}`, { picks: { effort: 'high' } });
    }
    assert.deepEqual(
      [again().find('s0'), again().find('s1')?.picks, again().last],
      [undefined, { effort: 'high' }, 's100'],
    );
  });

  it('are none where what is kept cannot be read', () => {
    kept.set('chat.threadPicks', 'spoilt');
    assert.equal(again().find('s1'), undefined);
    kept.set('chat.threadPicks', [{ sessionId: 's1', picks: { mode: 'anything', model: 1 } }]);
    assert.deepEqual(again().find('s1')?.picks, {});
  });
});
