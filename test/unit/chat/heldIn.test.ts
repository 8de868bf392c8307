import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heldIn } from '../../../src/chat/heldIn.ts';
import { slugOf } from '../../../src/records/transcriptPlace.ts';

describe('the folder of a window in which a past conversation goes on', () => {
  /** As the CLI has it, which has kept it for one that worked there. */
  const session = (cwd: string | undefined, place = cwd ?? '') => ({
    cwd,
    path: join('/config/projects', slugOf(place).name, 'id.jsonl'),
  });

  it('is the one in which it was begun, wherever that stands among them', () => {
    assert.equal(heldIn(session('/home/two'), ['/home/one', '/home/two']), '/home/two');
    assert.equal(heldIn(session('/home/one'), ['/home/two', '/home/one']), '/home/one');
  });

  it('is the innermost of those around the one in which it was begun', () => {
    const folders = ['/home', '/home/a', '/home/b'];
    assert.equal(heldIn(session('/home/a'), folders), '/home/a');
    assert.equal(heldIn(session('/home/a/.claude/worktrees/x'), folders), '/home/a');
    assert.equal(heldIn(session('/home/c'), folders), '/home');
  });

  it('is none where that is not one of them, also where its name is written alike', () => {
    assert.equal(heldIn(session('/home/my.app'), ['/home/other', '/home/my-app']), undefined);
    assert.equal(heldIn(session('/home/one'), []), undefined);
    assert.equal(heldIn(session(undefined, '/home/one'), ['/home/two']), undefined);
  });

  it('is the one whose transcripts it is among, where it does not say where it was begun, or was moved with its folder', () => {
    assert.equal(heldIn(session(undefined, '/home/two'), ['/home/one', '/home/two']), '/home/two');
    assert.equal(heldIn(session('/old/two', '/home/two'), ['/old', '/home/two']), '/home/two');
  });

  it('is known by where links lead, as the CLI works there, and told as the window has it', () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'held-')));
    try {
      mkdirSync(join(root, 'real'));
      symlinkSync(join(root, 'real'), join(root, 'link'));
      assert.equal(heldIn(session(join(root, 'real')), ['/home', join(root, 'link')]), join(root, 'link'));
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
