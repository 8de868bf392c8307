import assert from 'node:assert/strict';
import { signDetector } from '../../../src/sessions/signDetector.ts';

describe('the bell in a terminal’s output', () => {
  const hears = (...pieces: string[]) => {
    const detect = signDetector();
    return pieces.map((piece) => detect(piece).hasRung);
  };

  it('is heard between other output', () => {
    assert.deepEqual(hears('text \x07 text', 'text'), [true, false]);
  });

  it('is not the end of a title or of another command to the terminal', () => {
    assert.deepEqual(hears('\x1b]0;title\x07', '\x1b]0;\x07', '\x1b]0;title\x1b\\ then \x07'), [
      false,
      false,
      true,
    ]);
  });

  it('is told from the end of a title that comes in pieces', () => {
    assert.deepEqual(hears('\x1b', ']0;ti', 'tle\x07', '\x07'), [false, false, false, true]);
  });
});

describe('the title of CLI 2.1', () => {
  const says = (...pieces: string[]) => {
    const detect = signDetector();
    return pieces.map((piece) => detect(piece).isWorking);
  };

  it('says whether it works', () => {
    assert.deepEqual(says('\x1b]0;✳ Claude Code\x07', 'text', '\x1b]0;◐ Claude Code\x07'), [
      false,
      undefined,
      true,
    ]);
    assert.deepEqual(says('\x1b]0;◑ A\x07 \x1b]0;✳ A\x07'), [false]);
  });

  it('says so in pieces too', () => {
    assert.deepEqual(says('\x1b]', '0;', '◐ Claude', ' Code\x07'), [undefined, undefined, true, undefined]);
  });
});
