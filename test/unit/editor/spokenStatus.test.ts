import assert from 'node:assert/strict';
import { spokenStatus } from '../../../src/editor/spokenStatus.ts';

describe('what a screen reader says of an item in the status bar', () => {
  it('names us once', () => {
    assert.equal(spokenStatus('The bridge is stopped.'), 'Claude Code: The bridge is stopped.');
    assert.equal(spokenStatus('Claude Code 2: Asks'), 'Claude Code 2: Asks');
  });
});
