import assert from 'node:assert/strict';
import { pasteable, pasteableLines } from '../../../src/base/pasteable.ts';

describe('what is pasted into the CLI', () => {
  it('is the text', () => {
    for (const text of ['use a map instead', 'Ünder 2 lines, @src/a.ts and /tmp', '使用地图', 'yes']) {
      assert.equal(pasteable(text), text);
    }
  });

  it('is one line, without anything that a terminal obeys or that ends the paste', () => {
    assert.equal(pasteable('one\r\ntwo\nthree\ttabs \u2028end\r'), 'one two three tabs  end');
    assert.equal(pasteable('out\x1b[201~\rrm -rf b\x03\x7f\x9b201~'), 'out [201~ rm -rf b 201~');
  });

  it('begins with a word, never with what the CLI obeys at the start', () => {
    for (const text of [
      '!rm b.txt',
      '/clear',
      '# always',
      '@a.ts',
      '&',
      '?',
      '1',
      '2 spaces',
      '-x',
      'y',
      '\\',
      '',
    ]) {
      assert.equal(pasteable(text), `Reason: ${text}`);
    }
    assert.equal(pasteable(' \x1b!rm b.txt'), 'Reason: !rm b.txt');
    assert.equal(pasteable('1\r'), 'Reason: 1');
  });
});

describe('lines that are pasted into the CLI', () => {
  it('are the lines, without anything else that a terminal obeys or that ends the paste', () => {
    assert.equal(pasteableLines('one\r\n\ttwo\rthree\u2028four'), 'one\n    two\nthree\nfour');
    assert.equal(pasteableLines('out\x1b[201~\nrm -rf b\x03\x7f\x9b201~'), 'out [201~\nrm -rf b 201~');
  });
});
