import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  clamped,
  type Edit,
  findLines,
  followEdit,
  linesOfText,
  replaces,
  stands,
} from '../../../src/comments/anchor.ts';

const edit = (from: [number, number], to: [number, number], text: string): Edit => ({
  range: { start: { line: from[0], character: from[1] }, end: { line: to[0], character: to[1] } },
  text,
});

describe('the lines of a comment', () => {
  const lines = { start: 3, end: 4 };

  for (const [what, change, expected] of [
    ['a line inserted above', edit([1, 0], [1, 0], 'new\n'), { start: 4, end: 5 }],
    ['a line inserted right above', edit([3, 0], [3, 0], 'new\n'), { start: 4, end: 5 }],
    ['Enter at the end of the line above', edit([2, 5], [2, 5], '\n'), { start: 4, end: 5 }],
    ['a line removed above', edit([1, 0], [2, 0], ''), { start: 2, end: 3 }],
    ['the line right above removed', edit([2, 0], [3, 0], ''), { start: 2, end: 3 }],
    ['a letter in them', edit([3, 2], [3, 2], 'x'), lines],
    ['a line inserted between them', edit([4, 0], [4, 0], 'new\n'), { start: 3, end: 5 }],
    ['a line removed from them', edit([3, 0], [4, 0], ''), { start: 3, end: 3 }],
    ['all of them removed', edit([3, 0], [5, 0], ''), { start: 3, end: 4 }],
    ['Enter at their end', edit([4, 7], [4, 7], '\n'), lines],
    ['a line inserted below', edit([5, 0], [5, 0], 'new\n'), lines],
    ['lines replaced from above into them', edit([2, 0], [4, 0], 'one\n'), { start: 3, end: 3 }],
    ['all of the text replaced', edit([0, 0], [9, 0], '1\n2\n3\n4\n5\n6\n'), lines],
  ] as const) {
    it(`are there after ${what}`, () => assert.deepEqual(followEdit(lines, change), expected));
  }

  it('follow whatever happens to the others', () => {
    const line = fc.string({ unit: fc.constantFrom('a', ' ', '}'), maxLength: 3 });
    const step = fc.record({ at: fc.nat(40), removed: fc.nat(4), added: fc.array(line, { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.nat(10), fc.nat(3), fc.array(step, { maxLength: 20 }), (start, more, steps) => {
        let text = Array.from({ length: 20 }, (_, index) => `line ${index}`);
        let place = { start, end: start + more };
        const quoted = text.slice(start, start + more + 1);
        for (const { at, removed, added } of steps) {
          // Whole lines, before or after those of the comment; the last line of the text stays, to have an end.
          const end = Math.min(at + removed, text.length - 1);
          if (at > end || (at <= place.end && end > place.start)) {
            continue;
          }
          if (at > place.start && at <= place.end) {
            continue; // between them
          }
          place = followEdit(place, edit([at, 0], [end, 0], added.map((each) => `${each}\n`).join('')));
          text = [...text.slice(0, at), ...added, ...text.slice(end)];
        }
        assert.deepEqual(text.slice(place.start, place.end + 1), quoted);
      }),
      { numRuns: 2000 },
    );
  });

  it('may be elsewhere only where an edit has replaced them and more', () => {
    assert.ok(replaces(edit([0, 0], [9, 0], 'x'), lines));
    assert.ok(replaces(edit([3, 0], [5, 0], 'x'), lines));
    assert.ok(!replaces(edit([3, 0], [4, 4], 'x'), lines));
    assert.ok(!replaces(edit([4, 0], [9, 0], 'x'), lines));
    assert.ok(!replaces(edit([0, 0], [3, 2], 'x'), lines));
  });

  it('are found with their number where only the first ones are known', () => {
    assert.deepEqual(findLines(['x', 'a', 'b', 'c', 'd'], { start: 0, end: 3 }, ['a', 'b']), {
      start: 1,
      end: 4,
    });
  });

  it('are found where they stand now, the nearest first', () => {
    const text = linesOfText('x\r\na\nb\nx\ny\na\nb\n');
    assert.deepEqual(findLines(text, { start: 2, end: 3 }, ['a', 'b']), { start: 1, end: 2 });
    assert.deepEqual(findLines(text, { start: 4, end: 5 }, ['a', 'b']), { start: 5, end: 6 });
    assert.deepEqual(findLines(text, { start: 90, end: 91 }, ['a', 'b']), { start: 5, end: 6 });
    assert.equal(findLines(text, { start: 0, end: 1 }, ['a', 'c']), undefined);
    assert.equal(findLines(['a'], { start: 0, end: 1 }, ['a', 'b']), undefined);
    assert.ok(stands(text, { start: 1, end: 2 }, ['a', 'b']));
    assert.ok(!stands(text, { start: 7, end: 8 }, ['', 'b']), 'not beyond the end');
  });

  it('are at the end of a text that has become shorter', () => {
    assert.deepEqual(clamped({ start: 3, end: 9 }, 5), { start: 3, end: 4 });
    assert.deepEqual(clamped({ start: 3, end: 9 }, 0), { start: 0, end: 0 });
  });
});
