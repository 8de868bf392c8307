import assert from 'node:assert/strict';
import { failureText } from '../support/failureText.ts';

describe('the line that says which test has failed', () => {
  it('says why, also where that is said on several lines, and where', () => {
    const error = new Error('locator.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for "x"');
    error.stack = `Error: …\n    at wait (node_modules/p/p.js:1:2)\n    at write (out/a.js:3:4)\n    at Context.<anonymous> (out/a.js:5:6)`;
    assert.equal(
      failureText('a b', error),
      'a b: locator.click: Timeout 30000ms exceeded. Call log: - waiting for "x" at Context.<anonymous> (out/a.js:5:6)',
    );
    assert.equal(failureText('a', { name: '', message: 'no' }), 'a: no');
  });
});
