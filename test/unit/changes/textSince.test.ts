import assert from 'node:assert/strict';
import { TextSince } from '../../../src/changes/textSince.ts';

describe('a text since its save began', () => {
  it('is all that it was, oldest first', () => {
    const texts = new TextSince('one\ntwo\n');
    texts.change([{ rangeOffset: 8, rangeLength: 0, text: 'three' }]);
    texts.change([
      { rangeOffset: 4, rangeLength: 3, text: 'TWO' },
      { rangeOffset: 0, rangeLength: 4, text: '' },
    ]);
    assert.deepEqual([...texts.all()], ['one\ntwo\n', 'one\ntwo\nthree', 'TWO\nthree']);
  });

  it('is not followed for ever, where the save has failed', () => {
    const texts = new TextSince('');
    for (let i = 0; i < 1_000; i++) {
      texts.change([{ rangeOffset: 0, rangeLength: 0, text: 'x' }]);
    }
    assert.ok([...texts.all()].length < 500);
  });
});
