import assert from 'node:assert/strict';
import { Questions } from '../../../src/chat/questions.ts';

describe('a question in the chat', () => {
  const choices = (answer: string) => ({ yes: () => answer, no: () => undefined });
  const never = new AbortController().signal;

  it('is answered by its own button, once', async () => {
    const questions = new Questions();
    const first = questions.put(choices('first'), never);
    const second = questions.put(choices('second'), never);
    assert.notEqual(first.id, second.id);
    assert.equal(await questions.choose(first.id, 'yes'), true);
    assert.equal(await first.answer, 'first');
    assert.equal(await questions.choose(first.id, 'yes'), false);
    assert.equal(await questions.choose(second.id, 'yes'), true);
    assert.equal(await second.answer, 'second');
  });

  it('is answered by nothing else', async () => {
    const questions = new Questions();
    const { id } = questions.put(choices('x'), never);
    for (const [other, choice] of [
      ['x', 'yes'],
      [undefined, 'yes'],
      [id, 'toString'],
      [id, undefined],
    ]) {
      assert.equal(await questions.choose(other, choice), false);
    }
  });

  it('stays open where the user has thought better of a choice', async () => {
    const questions = new Questions();
    const { id, answer } = questions.put(
      { yes: () => 'yes', ...{ later: () => Promise.resolve(undefined) } },
      never,
    );
    assert.equal(await questions.choose(id, 'later'), true);
    assert.equal(await questions.choose(id, 'yes'), true);
    assert.equal(await answer, 'yes');
  });

  it('cannot be answered any more once nobody waits, also while the user chooses', async () => {
    const questions = new Questions();
    const over = new AbortController();
    const { id, answer } = questions.put(
      {
        yes: async () => {
          over.abort();
          return 'yes';
        },
      },
      over.signal,
    );
    assert.equal(await questions.choose(id, 'yes'), false);
    assert.equal(await answer, undefined);
    const late = questions.put(choices('x'), over.signal);
    assert.equal(await late.answer, undefined);
    assert.equal(await questions.choose(late.id, 'yes'), false);
  });

  it('tells what is open for a choice that it is over, by another answer or without one', async () => {
    const questions = new Questions();
    const withdrawn = new AbortController();
    const ended: string[] = [];
    const words = (name: string) => (over: AbortSignal) =>
      new Promise<undefined>((resolve) => {
        over.addEventListener('abort', () => {
          ended.push(name);
          resolve(undefined);
        });
      });
    const one = questions.put({ words: words('one'), no: () => 'no' }, never);
    const two = questions.put({ words: words('two') }, withdrawn.signal);
    const choosing = [questions.choose(one.id, 'words'), questions.choose(two.id, 'words')];
    assert.equal(await questions.choose(one.id, 'no'), true);
    assert.deepEqual(ended, ['one']);
    withdrawn.abort();
    assert.deepEqual(ended, ['one', 'two']);
    assert.deepEqual(await Promise.all(choosing), [true, true], 'nothing false is said');
  });
});
