import assert from 'node:assert/strict';
import fc from 'fast-check';
import { diffLines, maxLines } from '../../../src/base/lineDiff.ts';

describe('a line diff', () => {
  const hunks = (before: string, now: string) =>
    diffLines([...before], [...now]).hunks.map(({ beforeStart, beforeEnd, nowStart, nowEnd }) =>
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

  it('takes the last of equal lines for those that came or went', () => {
    assert.deepEqual(hunks('xa}}', 'Xa}'), ['0,1,0,1', '3,4,3,3']);
    assert.deepEqual(hunks('xa}b', 'xa}a}B'), ['3,4,3,6']);
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, now) => {
        let end = before.length;
        for (const { beforeStart, beforeEnd, nowStart, nowEnd } of diffLines(before, now).hunks.reverse()) {
          assert.ok(beforeEnd < end || end === before.length, 'apart from the next');
          if (beforeEnd < end && beforeStart === beforeEnd) {
            assert.notEqual(now[nowStart], now[nowEnd]);
          }
          if (beforeEnd < end && nowStart === nowEnd) {
            assert.notEqual(before[beforeStart], before[beforeEnd]);
          }
          end = beforeStart;
        }
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('finds the fewest lines that differ, whatever the texts are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, now) => {
        const { hunks, isExact } = diffLines(before, now);
        assert.ok(isExact);
        const made = [...before];
        for (const { beforeStart, beforeEnd, nowStart, nowEnd } of [...hunks].reverse()) {
          made.splice(beforeStart, beforeEnd - beforeStart, ...now.slice(nowStart, nowEnd));
        }
        assert.deepEqual(made, now);
        const removed = hunks.reduce((sum, { beforeStart, beforeEnd }) => sum + beforeEnd - beforeStart, 0);
        assert.equal(before.length - removed, commonLength(before, now));
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  const numbered = (count: number, what = 'line') => Array.from({ length: count }, (_, i) => `${what} ${i}`);

  it('looks only at what lies between the first line that differs and the last', () => {
    const before = numbered(500_000);
    const now = before.with(250_000, 'other').with(250_002, 'other');
    assert.deepEqual(diffLines(before, now), {
      hunks: [
        { beforeStart: 250_000, beforeEnd: 250_001, nowStart: 250_000, nowEnd: 250_001 },
        { beforeStart: 250_002, beforeEnd: 250_003, nowStart: 250_002, nowEnd: 250_003 },
      ],
      isExact: true,
    });
  });

  it('finds each change of a long file', () => {
    const before = numbered(40_000);
    const now = ['x', ...before.slice(1, 20_000), ...before.slice(20_003, -1), 'z'];
    assert.deepEqual(diffLines(before, now), {
      hunks: [
        { beforeStart: 0, beforeEnd: 1, nowStart: 0, nowEnd: 1 },
        { beforeStart: 20_000, beforeEnd: 20_003, nowStart: 20_000, nowEnd: 20_000 },
        { beforeStart: 39_999, beforeEnd: 40_000, nowStart: 39_996, nowEnd: 39_997 },
      ],
      isExact: true,
    });
  });

  it('counts whatever lines were only added or only removed', () => {
    const hunk = { beforeStart: 1, beforeEnd: 1, nowStart: 1, nowEnd: 500_001 };
    const now = ['a', ...numbered(500_000), 'z'];
    assert.deepEqual(diffLines(['a', 'z'], now), { hunks: [hunk], isExact: true });
  });

  it('is exact where all lines of a file are others', () => {
    const [before, now] = [numbered(maxLines / 2), numbered(maxLines / 2, 'other')];
    const { hunks, isExact } = diffLines(before, now);
    assert.ok(isExact);
    assert.deepEqual(hunks, [{ beforeStart: 0, beforeEnd: maxLines / 2, nowStart: 0, nowEnd: maxLines / 2 }]);
  });

  describe('gives up, with one hunk from the first to the last difference,', () => {
    const whole = (length: number) => ({
      hunks: [{ beforeStart: 1, beforeEnd: length + 1, nowStart: 1, nowEnd: length + 1 }],
      isExact: false,
    });
    const inside = (lines: string[]) => ['same', ...lines, 'end'];

    it('on more lines than it may look at', () => {
      const length = maxLines / 2 + 1;
      const found = diffLines(inside(numbered(length)), inside(numbered(length, 'other')));
      assert.deepEqual(found, whole(length));
    });

    it('on lines in quite another order', () => {
      const length = maxLines / 2;
      const found = diffLines(inside(numbered(length)), inside(numbered(length).reverse()));
      assert.deepEqual(found, whole(length));
    });
  });
});

/** Of the longest common subsequence, by the book. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    b.forEach((other, j) =>
      next.push(line === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0)),
    );
    row = next;
  }
  return row.at(-1) ?? 0;
}
