import assert from 'node:assert/strict';
import { mayHaveTaken } from '../../../src/changes/gitSeen.ts';

describe('what Git tells of a repository', () => {
  const head = { branch: 'main', commit: 'a1' };
  const seen = (...listed: string[]) => ({ head, listed: new Set(listed) });

  it('does not say that it has written files where it lists the same, or more: after a save, or an edit of an agent', () => {
    assert.ok(!mayHaveTaken(seen('/a'), seen('/a')));
    assert.ok(!mayHaveTaken(seen('/a'), seen('/a', '/b')));
  });

  it('says that it may have where a file is as committed again: by a reset, a stash or a clean', () => {
    assert.ok(mayHaveTaken(seen('/a', '/b'), seen('/b', '/c')));
  });

  it('says that it may have with another commit or branch, and where nothing was known', () => {
    assert.ok(mayHaveTaken(seen(), { ...seen(), head: { ...head, commit: 'b2' } }));
    assert.ok(mayHaveTaken(seen(), { ...seen(), head: { ...head, branch: 'other' } }));
    assert.ok(mayHaveTaken(undefined, seen()));
  });
});
