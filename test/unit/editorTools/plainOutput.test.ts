import assert from 'node:assert/strict';
import { plainOutput, tail } from '../../../src/editorTools/plainOutput.ts';

describe('what a terminal has printed, as text', () => {
  const cases: [string, string, string][] = [
    ['colours', '\x1b[31mred\x1b[0m\r\nplain\r\n', 'red\nplain'],
    ['progress that was written over', '10 %\r50 %\r100 %\r\ndone\r\n', '100 %\ndone'],
    ['a spinner that goes to the begin of its line', '⠙\x1b[1G\x1b[0Khi\r\n', 'hi'],
    ['titles, with blanks in them', '\x1b]0;a b;c\x07text\x1b]8;;http://x y\x1b\\', 'text'],
    [
      'what was typed before',
      'ls\r\n\x1b]633;E;echo a\\x3b b;nonce\x07\x1b]633;C\x07a\r\n\x1b]633;D;0\x07',
      'a',
    ],
    ['what obeys, and what turns the direction', 'a\x07b\u202Ec\td\r\n', 'abc\td'],
    ['nothing', '\r\n\r\n', ''],
  ];
  for (const [what, printed, text] of cases) {
    it(`is without ${what}`, () => assert.equal(plainOutput(printed), text));
  }

  it('ends with its last lines, as many as are wanted, and as fit', () => {
    const text = Array.from({ length: 10 }, (_, index) => `line ${index}`).join('\n');
    assert.deepEqual(tail(text, 2, 1_000), { text: 'line 8\nline 9', lines: 2, before: 8 });
    assert.deepEqual(tail(text, 10, 15), { text: 'line 8\nline 9', lines: 2, before: 8 });
    assert.deepEqual(tail(text, 100, 1_000), { text, lines: 10, before: 0 });
    assert.deepEqual(tail('', 5, 5), { text: '', lines: 0, before: 0 });
    assert.deepEqual(tail('a long line', 5, 4), { text: 'line', lines: 1, before: 0 });
    assert.deepEqual(tail(text, 0, 100), { text: '', lines: 0, before: 10 });
  });
});
