import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineChanges } from '../../../src/base/lineMerge.ts';
import { linesOf } from '../../../src/changes/comparison.ts';
import { LineNumbers } from '../../../src/changes/lineNumbers.ts';

describe('the numbers of lines', () => {
  const line = fc.constantFrom('a\n', 'b\n', 'b\r\n', '\n', 'é\n', '\r\n');
  const texts = fc.array(fc.tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('', 'a', 'b\r')), {
    minLength: 1,
    maxLength: 12, // more than are kept
  });
  const bytesOf = ([lines, last]: [string[], string]) => Buffer.from(lines.join('') + last);

  it('are those of each line, whatever was read before, and tell the same changes', () => {
    fc.assert(
      fc.property(texts, (all) => {
        const numbers = new LineNumbers();
        let [before, beforeLines]: [readonly number[], readonly string[]] = [[], []];
        for (const bytes of all.map(bytesOf)) {
          const [now, nowLines] = [numbers.of(bytes), linesOf(bytes)];
          assert.deepEqual(
            now.map((number) => numbers.lineOf(number)),
            nowLines,
          );
          assert.deepEqual(
            now,
            nowLines.map((each) => numbers.numberOf(each)),
          );
          assert.ok(numbers.bytesOf(now).equals(bytes));
          const found = numbers.changes(before, now)?.map(({ added, removed, ...hunk }) => ({
            ...hunk,
            added: added.map((number) => numbers.lineOf(number)),
            removed: removed.map((number) => numbers.lineOf(number)),
          }));
          assert.deepEqual(found, lineChanges(beforeLines, nowLines));
          [before, beforeLines] = [now, nowLines];
        }
      }),
      { numRuns: 2_000, seed: 18 },
    );
  });

  it('are not read anew of a text that was there a moment ago', () => {
    const numbers = new LineNumbers();
    const [text, other] = [Buffer.from('a\nb\n'), Buffer.from('a\nc\n')];
    const known = numbers.of(text);
    numbers.of(other);
    assert.equal(numbers.of(Buffer.from(text)), known);
    assert.equal(numbers.changes(known, numbers.of(other)), numbers.changes(known, numbers.of(other)));
  });
});
