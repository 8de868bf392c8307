import assert from 'node:assert/strict';
import { diffLines } from '../../src/base/lineDiff.ts';

describe('a line diff', () => {
  const hunks = (before: string, now: string) =>
    diffLines([...before], [...now]).map(({ beforeStart, beforeEnd, nowStart, nowEnd }) =>
      [beforeStart, beforeEnd, nowStart, nowEnd].join(),
    );

  it('has no hunk for equal texts', () => {
    assert.deepEqual(hunks('', ''), []);
    assert.deepEqual(hunks('abc', 'abc'), []);
  });

  it('has one for each run of lines that differ', () => {
    assert.deepEqual(hunks('abcdef', 'aBcdeF'), ['1,2,1,2', '5,6,5,6']);
  });

  it('tells added and removed lines by an empty range', () => {
    assert.deepEqual(hunks('ac', 'abc'), ['1,1,1,2']);
    assert.deepEqual(hunks('abc', 'ac'), ['1,2,1,1']);
    assert.deepEqual(hunks('', 'ab'), ['0,0,0,2']);
  });

  it('gives up on texts that take too long, with one hunk from the first to the last difference', function () {
    this.timeout(20_000);
    const lines = (seed: number) => Array.from({ length: 60_000 }, (_, i) => `${(i * seed) % 65_537}`);
    const found = diffLines(['same', ...lines(31), 'end'], ['same', ...lines(17_389), 'end']);
    assert.deepEqual(found, [{ beforeStart: 2, beforeEnd: 60_001, nowStart: 2, nowEnd: 60_001 }]);
  });
});
