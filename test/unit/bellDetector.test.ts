import assert from 'node:assert/strict';
import { bellDetector } from '../../src/editor/bellDetector.ts';

describe('the bell in a terminal’s output', () => {
  it('is heard between other output', () => {
    assert.equal(bellDetector()('text \x07 text'), true);
    assert.equal(bellDetector()('text'), false);
  });

  it('is not the end of a title or of another command to the terminal', () => {
    const hasBell = bellDetector();
    assert.equal(hasBell('\x1b]0;title\x07'), false);
    assert.equal(hasBell('\x1b]0;title\x1b\\ then \x07'), true);
  });

  it('is told from the end of a title that comes in two pieces', () => {
    const hasBell = bellDetector();
    assert.equal(hasBell('\x1b]0;ti'), false);
    assert.equal(hasBell('tle\x07'), false);
    assert.equal(hasBell('\x07'), true);
  });
});
