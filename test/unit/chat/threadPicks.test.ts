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
    picks.note('s1', { mode: 'plan' });
    picks.note('s2', { mode: 'acceptEdits', model: 'haiku' });
    picks.note('s1', {});
    picks.note(undefined, { mode: 'dontAsk' });
    assert.deepEqual(
      ['s1', 's2', 's3'].map((id) => again().find(id)),
      [{}, { mode: 'acceptEdits', model: 'haiku' }, undefined],
    );
    assert.equal(again().last, 's1');
  });

  it('are kept of the hundred that were used last', () => {
    for (let number = 0; number <= 100; number++) {
      again().note(`s${number}`, { effort: 'high' });
    }
    assert.deepEqual(
      [again().find('s0'), again().find('s1'), again().last],
      [undefined, { effort: 'high' }, 's100'],
    );
  });

  it('are none where what is kept cannot be read', () => {
    kept.set('chat.threadPicks', 'spoilt');
    assert.equal(again().find('s1'), undefined);
    kept.set('chat.threadPicks', [{ sessionId: 's1', picks: { mode: 'anything', model: 1 } }]);
    assert.deepEqual(again().find('s1'), {});
  });
});
