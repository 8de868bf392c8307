import assert from 'node:assert/strict';
import { findFileLinks } from '../../../src/sessions/fileLinks.ts';

describe('places in files that a CLI prints', () => {
  const cases: [string, (string | number | undefined)[][]][] = [
    ['see src/app.ts:12 and', [['src/app.ts:12', 'src/app.ts', 12, undefined, undefined]]],
    ['(src/app.ts:12:7)', [['src/app.ts:12:7', 'src/app.ts', 12, undefined, 7]]],
    ['> @a.txt#L5-10 ', [['@a.txt#L5-10', 'a.txt', 5, 10, undefined]]],
    ['a.txt#L5', [['a.txt#L5', 'a.txt', 5, undefined, undefined]]],
    ['@"d ir/sp ace.txt#L2-3" please', [['@"d ir/sp ace.txt#L2-3"', 'd ir/sp ace.txt', 2, 3, undefined]]],
    ['@"d ir/sp ace.txt"', [['@"d ir/sp ace.txt"', 'd ir/sp ace.txt', undefined, undefined, undefined]]],
    ['@src/app.ts is', [['@src/app.ts', 'src/app.ts', undefined, undefined, undefined]]],
    ['C:\\w\\a.ts:3', [['C:\\w\\a.ts:3', 'C:\\w\\a.ts', 3, undefined, undefined]]],
    ['nothing here, at 12:30', [['12:30', '12', 30, undefined, undefined]]],
  ];
  for (const [text, expected] of cases) {
    it(text, () => {
      assert.deepEqual(
        findFileLinks(text).map(({ startIndex, length, path, line, endLine, column }) => [
          text.slice(startIndex, startIndex + length),
          path,
          line,
          endLine,
          column,
        ]),
        expected,
      );
    });
  }
});
