import assert from 'node:assert/strict';
import type { TrackedEdit } from '../../../src/agent/editTracker.ts';
import { TurnEdits } from '../../../src/chat/turnEdits.ts';

describe('the edits of a turn', () => {
  const edit = (filePath: string, before: string | null | undefined, after: string | null | undefined) => ({
    ...({ sessionId: 's', turn: 0, toolUseId: 't', tool: 'Edit', filePath } satisfies Partial<TrackedEdit>),
    before: typeof before === 'string' ? Buffer.from(before) : before,
    after: typeof after === 'string' ? Buffer.from(after) : after,
  });

  it('are counted from what each file was before the first of them', () => {
    const edits = new TurnEdits();
    assert.equal(edits.words, undefined);
    edits.note(edit('/a', 'one\ntwo\n', 'ONE\ntwo\n'));
    edits.note(edit('/a', 'ONE\ntwo\n', 'ONE\ntwo\nthree\n'));
    edits.note(edit('/b', null, 'new\n'));
    assert.equal(edits.words, '2 files changed (+3 −1)');
    assert.deepEqual(edits.paths, ['/a', '/b']);
  });

  it('are none where the file is again as it was', () => {
    const edits = new TurnEdits();
    edits.note(edit('/a', 'one\n', 'two\n'));
    edits.note(edit('/a', 'two\n', 'one\n'));
    assert.equal(edits.words, undefined);
  });

  it('are not counted by lines where one cannot be read', () => {
    const edits = new TurnEdits();
    edits.note(edit('/a', 'one\n', 'two\n'));
    edits.note(edit('/big', undefined, 'two\n'));
    assert.equal(edits.words, '2 files changed');
  });
});
