import assert from 'node:assert/strict';
import fc from 'fast-check';
import { merge } from '../../../src/changes/merge.ts';

const bytes = (lines: string) => Buffer.from([...lines].map((line) => `${line}\n`).join(''));

/** Each text as one letter a line. @returns the same, with a `?` where something was left out */
function merged(base: string, ours: string, theirs: string): string {
  const { bytes: all, isWhole } = merge(bytes(base), bytes(ours), bytes(theirs)) ?? assert.fail();
  return all.toString().replaceAll('\n', '') + (isWhole ? '' : '?');
}

describe('a merge', () => {
  it('has the changes of both', () => {
    assert.equal(merged('abcdef', 'aBcdef', 'abcdEf'), 'aBcdEf');
    assert.equal(merged('abcdef', 'xyabcdef', 'abcdE'), 'xyabcdE');
    assert.equal(merged('abcdef', 'cdef', 'abcXdef'), 'cXdef');
    assert.equal(merged('abcdef', 'abcdeF', 'bcdef'), 'bcdeF');
  });

  it('takes neighbouring lines, changed by one each, for two changes', () => {
    assert.equal(merged('abc', 'aBc', 'abC'), 'aBC');
  });

  it('leaves out what touches the same lines, and says so', () => {
    assert.equal(merged('abcdef', 'aBcdef', 'aXcdEf'), 'aBcdEf?');
    assert.equal(merged('abc', 'axbc', 'aybc'), 'axbc?');
    assert.equal(merged('abc', 'ac', 'aXc'), 'ac?');
  });

  it('makes no change twice', () => {
    assert.equal(merged('abcd', 'aBcd', 'aBcD'), 'aBcD');
  });

  it('takes the same one of equal lines for that which both have changed', () => {
    assert.equal(merged('ab}c}}d', 'aB}c}d', 'ab}c}d'), 'aB}c}d');
    assert.equal(merged('ab}c}d', 'Ab}c}c}d', 'ab}c}c}dE'), 'Ab}c}c}dE');
  });

  it('counts another line end as a change, and keeps every byte', () => {
    const all = merge(
      Buffer.from('a\nb\n\xff', 'latin1'),
      Buffer.from('a\r\nb\n\xff', 'latin1'),
      Buffer.from('a\nB\n\xff', 'latin1'),
    );
    assert.equal(all?.bytes.toString('latin1'), 'a\r\nB\n\xff');
  });

  it('is not tried where too much differs', () => {
    const lines = (from: number) =>
      Buffer.from(Array.from({ length: 120_000 }, (_, i) => `${from + i}\n`).join(''));
    assert.equal(merge(lines(0), lines(1), lines(500_000)), undefined);
  });

  it('of a file of half a million lines has the changes of both', () => {
    const lines = (changed: number) =>
      Buffer.from(Array.from({ length: 500_000 }, (_, i) => `${i === changed ? 'x' : i}\n`).join(''));
    assert.equal(merge(lines(-1), lines(5), lines(499_990))?.isWhole, true);
  });

  it('with one side that has not changed is the other side', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 12 });
    fc.assert(
      fc.property(text, text, (base, other) => {
        assert.equal(merged(base, base, other), other);
        assert.equal(merged(base, other, base), other);
        assert.equal(merged(base, other, other), other);
      }),
    );
  });
});
