import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  indexOfWord,
  type Page,
  page,
  pageText,
  placeText,
  shownLine,
} from '../../../src/editorTools/answers.ts';
import { onOneLine } from '../../../src/editorTools/onOneLine.ts';

describe('a page of what was found', () => {
  const numbers = Array.from({ length: 120 }, (_, index) => index);
  const show = (item: number) => ({ line: `line ${item}`, data: item });

  it('has 50 items unless told otherwise, and says where the next one begins', async () => {
    const first = await page(numbers, {}, show);
    assert.deepEqual(first.items, numbers.slice(0, 50));
    assert.deepEqual(first.counts, { total: 120, nextOffset: 50 });
    const last = await page(numbers, { limit: 50, offset: 100 }, show);
    assert.deepEqual(last.counts, { total: 120 });
    assert.match(pageText(last, 'line', 'lines'), /^120 lines, 20 of them here\nline 100\n[^]*\nline 119$/);
  });

  it('goes through everything once, however long the lines are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        async (lengths, limit) => {
          const seen: number[] = [];
          let offset: number | undefined = 0;
          while (offset !== undefined) {
            const part: Page<number> = await page(lengths, { limit, offset }, (length) => ({
              line: 'x'.repeat(length),
              data: length,
            }));
            assert.ok(part.lines.length === 1 || part.lines.join('\n').length <= 20_000);
            seen.push(...part.items);
            offset = part.counts.nextOffset;
          }
          assert.deepEqual(seen, lengths);
        },
      ),
    );
  });

  it('is empty behind the end', async () => {
    const { items, counts } = await page(numbers, { offset: 500 }, show);
    assert.deepEqual([items, counts], [[], { total: 120 }]);
  });

  it('makes no item that is not on it', async () => {
    const made: number[] = [];
    await page(numbers, { limit: 2, offset: 3 }, (item) => {
      made.push(item);
      return show(item);
    });
    assert.deepEqual(made, [3, 4]);
  });

  it('counts what is withheld, and says no more of it', async () => {
    const shown = await page([1], {}, show, 2);
    assert.equal(
      pageText(shown, 'place', 'places'),
      '1 place\nline 1\n2 more not shared by the settings of this editor.',
    );
  });
});

describe('a place in words', () => {
  it('is path:line:column and the source line', () => {
    const place = { path: '/ws/a.ts', line: 3, column: 14, text: 'export function greet() {' };
    assert.equal(
      placeText(place, (path) => path.slice('/ws/'.length)),
      'a.ts:3:14  export function greet() {',
    );
  });

  it('stays one line, whatever the file and its text are called', () => {
    const place = {
      path: '/ws/a\nb.ts:1:1  fake',
      line: 1,
      column: 1,
      text: shownLine('\tx\u2028y\u202Ez\r'),
    };
    assert.doesNotMatch(
      placeText(place, (path) => onOneLine(path)),
      /[\u2028\u202E\r\n]/,
    );
  });
});

describe('text on one line', () => {
  it('leaves code as it is, also where it looks like a link', () => {
    assert.equal(onOneLine('handlers[name](event)'), 'handlers[name](event)');
    assert.equal(
      onOneLine('[click](command:workbench.action.quit)'),
      '[click](command:workbench.action.quit)',
    );
  });

  it('is cut', () => {
    assert.equal(onOneLine('x'.repeat(300), 10), `${'x'.repeat(10)}…`);
    assert.ok(shownLine('](' + 'y'.repeat(1_000_000)).length < 300);
  });
});

describe('a name in a text', () => {
  it('is found as a word of its own', () => {
    assert.equal(indexOfWord('totals(total, $total)', 'total'), 7);
    assert.equal(indexOfWord('größer größe', 'größe'), 7);
    assert.equal(indexOfWord('totals', 'total'), -1);
  });

  it('is taken literally', () => {
    assert.equal(indexOfWord('aaaa', '(a+)+$'), -1);
    assert.equal(indexOfWord('a = (a+)+$;', '(a+)+$'), 4);
  });
});
