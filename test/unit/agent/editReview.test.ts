import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProposedEdit, type Reviewed, withEditReview } from '../../../src/agent/editReview.ts';
import { groupOf, type PermissionDecision } from '../../../src/agent/permissions.ts';

describe('Edits of an agent', () => {
  let folder: string;
  let shown: ProposedEdit[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ide-bridge-edits-'));
    shown = [];
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function file(name: string, text: string | Buffer): string {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }

  const asked: PermissionDecision = { kind: 'deny', reason: 'asked' };

  function decide(
    tool: string,
    input: Record<string, unknown>,
    answer: (edit: ProposedEdit) => Reviewed = ({ after }) => ({ kind: 'accepted', text: after }),
  ): Promise<PermissionDecision> {
    const ask = withEditReview(
      () => Promise.resolve(asked),
      (edit) => {
        shown.push(edit);
        return Promise.resolve(answer(edit));
      },
    );
    return ask({ id: 'q', tool, group: groupOf(tool), input, rules: [] }, new AbortController().signal);
  }

  const accept = (text: string) => (): Reviewed => ({ kind: 'accepted', text });

  it('are asked about where nobody can say what they will be', async () => {
    const path = file('a.txt', 'one one\n');
    const edit = { file_path: path, old_string: 'one', new_string: 'two' };
    assert.equal(await decide('Edit', edit), asked);
    assert.equal(await decide('Edit', { ...edit, old_string: 'three' }), asked);
    assert.equal(await decide('Edit', { ...edit, old_string: '' }), asked);
    assert.equal(await decide('Edit', { file_path: path }), asked);
    assert.equal(await decide('Bash', { command: 'rm a.txt' }), asked);
    assert.equal(await decide('Write', { file_path: folder, content: 'x' }), asked);
    assert.equal(
      await decide('Write', { file_path: file('b.bin', Buffer.from([0xff, 0xfe])), content: 'x' }),
      asked,
    );
    assert.equal(shown.length, 0);
    assert.deepEqual(await decide('Edit', { ...edit, replace_all: true }), { kind: 'allow' });
    assert.equal(shown[0]?.after, 'two two\n');
  });

  it('go back as they came, unless the user has changed them', async () => {
    const path = file('a.txt', 'one\r\ntwo\r\n');
    const edit = { file_path: path, old_string: 'two', new_string: '$&' };
    assert.deepEqual(await decide('Edit', edit, accept('one\r\n$&\r\n')), { kind: 'allow' });
    assert.deepEqual([shown[0]?.before, shown[0]?.after], ['one\ntwo\n', 'one\n$&\n']);
    assert.deepEqual(await decide('Edit', edit, accept('zero\n')), {
      kind: 'allow',
      input: { file_path: path, old_string: 'one\ntwo\n', new_string: 'zero\n', replace_all: false },
    });
    assert.deepEqual(await decide('Edit', edit, accept('one\ntwo\n')), {
      kind: 'deny',
      reason: 'The user has taken back all of this edit.',
    });
    assert.deepEqual(await decide('Edit', edit, () => ({ kind: 'rejected', reason: 'no' })), {
      kind: 'deny',
      reason: 'no',
    });
    assert.deepEqual(await decide('Write', { file_path: join(folder, 'new'), content: 'a' }, accept('b')), {
      kind: 'allow',
      input: { file_path: join(folder, 'new'), content: 'b' },
    });
    assert.equal(shown.at(-1)?.before, null);
  });

  it('of several replacements are one', async () => {
    const path = file('a.txt', 'one\ntwo\n');
    const edits = [
      { old_string: 'one', new_string: 'two' },
      { old_string: 'two', new_string: 'three', replace_all: true },
    ];
    assert.deepEqual(await decide('MultiEdit', { file_path: path, edits }, accept('x\n')), {
      kind: 'allow',
      input: { file_path: path, edits: [{ old_string: 'one\ntwo\n', new_string: 'x\n' }] },
    });
    assert.equal(shown[0]?.after, 'three\nthree\n');
  });

  it('of a cell can be changed in that cell', async () => {
    const cells = [
      { id: 'a', cell_type: 'code', metadata: {}, outputs: [], source: ['x = 1\n', 'y'] },
      { id: 'b', cell_type: 'markdown', metadata: {}, source: 'text' },
    ];
    const path = file('a.ipynb', JSON.stringify({ cells, nbformat: 4 }, null, 1));
    const input = { notebook_path: path, cell_id: 'a', new_source: 'x = 2\nz' };
    assert.deepEqual(await decide('NotebookEdit', input), { kind: 'allow' });
    const after = shown[0]?.after ?? '';
    assert.match(after, /"x = 2\\n",\n\s+"z"/);
    assert.deepEqual(await decide('NotebookEdit', input, accept(after.replace('x = 2', 'x = 3'))), {
      kind: 'allow',
      input: { ...input, new_source: 'x = 3\nz' },
    });
    const elsewhere = await decide('NotebookEdit', input, accept(after.replace('text', 'words')));
    assert.equal(elsewhere.kind, 'deny');
    const broken = await decide('NotebookEdit', input, accept('{'));
    assert.match(broken.kind === 'deny' ? broken.reason : '', /more of the notebook than this cell/);
    assert.equal(await decide('NotebookEdit', { ...input, edit_mode: 'insert' }), asked);
    assert.equal(await decide('NotebookEdit', { ...input, cell_id: 'c' }), asked);
  });
});
