import assert from 'node:assert/strict';
import { findText } from '../../../src/tools/findText.ts';

describe('finding a text', () => {
  const found = (text: string, pattern: string, from?: number) => {
    const range = findText(text, pattern, from);
    return range && text.slice(range.start, range.end);
  };

  it('takes the first occurrence at or after the start', () => {
    assert.deepEqual(findText('a b a', 'a'), { start: 0, end: 1 });
    assert.deepEqual(findText('a b a', 'a', 1), { start: 4, end: 5 });
    assert.equal(findText('a b', 'a', 1), undefined);
  });

  it('matches several lines whatever their line ends', () => {
    assert.equal(found('one\r\ntwo\r\nthree', 'one\ntwo'), 'one\r\ntwo');
    assert.equal(found('one\ntwo\nthree', 'one\r\ntwo'), 'one\ntwo');
    assert.equal(found('x\r\none\r\ntwo', 'one\ntwo', 2), 'one\r\ntwo');
  });

  it('takes every character literally', () => {
    assert.equal(found('a.*\r\n(b)', 'a.*\n(b)'), 'a.*\r\n(b)');
    assert.equal(found('abc\r\n(b)', 'a.*\n(b)'), undefined);
  });
});
