import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { threadKey, ThreadRecords } from '../../../src/chat/threadRecords.ts';

describe('what is kept of the threads of the chat', () => {
  function memento(stored?: unknown): Memento {
    let value = stored;
    return {
      keys: () => [],
      get: () => value,
      update: (_name: string, next: unknown) => {
        value = next;
        return Promise.resolve();
      },
    } as Memento;
  }

  it('finds a thread by its token and by how it began, whatever has been asked of the token', () => {
    const token = (path: string, more = {}) => ({ sessionResource: { scheme: 'chat', path, ...more } });
    const key = threadKey(token('a'), 'hello');
    assert.ok(key);
    assert.equal(threadKey(token('a', { external: 'chat:a', fsPath: 'a' }), 'hello'), key);
    assert.notEqual(threadKey(token('b'), 'hello'), key);
    assert.notEqual(threadKey(token('a'), 'hello there'), key);
  });

  it('takes no token that says nothing', () => {
    assert.deepEqual(
      [undefined, null, {}, 'x'].map((token) => threadKey(token, 'hello')),
      [undefined, undefined, undefined, undefined],
    );
  });

  it('is the session that a thread was held with last, also for the next extension host', () => {
    const store = memento();
    const records = new ThreadRecords(store);
    records.note('one', 'a');
    records.note('two', 'b');
    records.note('one', 'c');
    records.note('two', undefined);
    records.note(undefined, 'd');
    const next = new ThreadRecords(store);
    assert.deepEqual(
      ['one', 'two', undefined].map((key) => next.find(key)),
      ['c', undefined, undefined],
    );
  });

  it('is no more than a hundred of them, and nothing that another version has left', () => {
    const records = new ThreadRecords(memento({ one: 'a' }));
    for (let index = 0; index <= 100; index++) {
      records.note(String(index), 'a');
    }
    assert.deepEqual(
      ['0', '1', '100'].map((key) => records.find(key)),
      [undefined, 'a', 'a'],
    );
  });
});
