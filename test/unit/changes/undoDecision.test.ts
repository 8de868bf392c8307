import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { ChangeReview } from '../../../src/changes/changeReview.ts';
import { lossOf } from '../../../src/changes/loss.ts';
import type { Changes } from '../../../src/changes/changes.ts';
import type { Author } from '../../../src/changes/changeSet.ts';
import type { ChangeSets } from '../../../src/changes/changeSets.ts';
import { type SnapshotLimits } from '../../../src/changes/changeSets.ts';
import { SnapshotFiles } from '../../../src/changes/snapshotFiles.ts';
import { UndoDecision } from '../../../src/changes/undoDecision.ts';
import { FakeEditor } from '../../support/fakeEditor.ts';
import { openReview, smallLimits } from '../../support/openReview.ts';

describe('the history of decisions', () => {
  let folder: string;
  let limits: SnapshotLimits;
  let sets: ChangeSets;
  let changes: Changes;
  let review: ChangeReview;
  let editor: FakeEditor;
  let undoing: UndoDecision;

  const claude: Author = { id: 1, pid: 4711, label: 'Claude 1' };
  const other: Author = { id: 2, pid: 4712, label: 'Claude 2' };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ide-bridge-history-'));
    limits = smallLimits;
    editor = new FakeEditor();
    open();
  });
  afterEach(() => {
    sets.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  function open(): void {
    ({ sets, changes, review } = openReview(folder, editor, () => limits));
    undoing = new UndoDecision(sets, review, editor);
  }

  function reload(): void {
    changes.dispose();
    sets.dispose();
    open();
  }

  const path = (name: string) => join(folder, name);
  const text = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined);

  function edit(author: Author, name: string, content: string | undefined): void {
    review.willEdit(author, path(name));
    if (content === undefined) {
      rmSync(path(name));
    } else {
      editor.write(path(name), content);
    }
    editor.follow();
  }

  function accept(name: string, content: string): void {
    review.didAccept(claude, path(name), content);
    edit(claude, name, content);
    review.takeAccepted();
  }

  /** Each file that waits, with the text from before. */
  async function waiting(): Promise<string[]> {
    await changes.refresh();
    return changes.all.map(
      ({ set, snapshot }) =>
        `${set.label}: ${snapshot.path.slice(folder.length + 1)}: ${sets.before(snapshot)?.toString() ?? 'none'}`,
    );
  }

  async function revert(...names: string[]): Promise<void> {
    await changes.refresh();
    for (const name of names) {
      const [change] = changes.ofPath(path(name));
      assert.ok(change);
      await review.revert(change, 'one decision');
    }
    editor.follow();
  }

  const entries = () =>
    sets.history.entries.map(
      ({ kind, files }) => `${kind} ${files.map((file) => file.path.slice(folder.length + 1)).join(', ')}`,
    );

  /** The last one. @returns what went wrong */
  async function undo(): Promise<string[]> {
    const entry = sets.history.entries.at(-1);
    assert.ok(entry);
    const problems = await undoing.undo(entry.id);
    editor.follow();
    return problems;
  }

  it('has what was kept, reverted and accepted, several files at once as one', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) {
      editor.write(path(name), '0\n');
      edit(claude, name, '1\n');
    }
    edit(claude, 'same.txt', 'x\n');
    rmSync(path('same.txt'));
    await waiting();
    review.keep([path('a.txt')]);
    await revert('b.txt', 'c.txt');
    accept('e.txt', 'new\n');
    review.keepAll();
    assert.deepEqual(entries(), ['kept a.txt', 'reverted b.txt, c.txt', 'accepted e.txt', 'kept d.txt']);
  });

  it('has nothing where there was nothing to decide', () => {
    review.keepAll();
    assert.deepEqual(entries(), []);
  });

  it('survives a reload', async () => {
    editor.write(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    review.keepAll();
    reload();
    assert.deepEqual(await undo(), []);
    assert.deepEqual(await waiting(), ['Claude 1: a.txt: 0\n']);
    reload();
    assert.deepEqual(await waiting(), ['Claude 1: a.txt: 0\n']);
    assert.deepEqual(entries(), []);
  });

  it('undoes each decision once', async () => {
    editor.write(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    const id = review.keepAll();
    const twice = await Promise.allSettled([undoing.undo(id), undoing.undo(id)]);
    assert.deepEqual(
      twice.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    await assert.rejects(undoing.undo(id), /no longer in the history/);
  });

  it('drops the oldest beyond the limits, before anything that waits, and their texts with them', async () => {
    limits = { ...limits, totalBytes: 100 };
    for (const name of ['a', 'b', 'c']) {
      edit(claude, name, `${name}\n`.repeat(15));
      accept(name, `${name}\n`.repeat(16));
      review.keepAll();
    }
    edit(claude, 'waits', '1\n');
    edit(claude, 'waits', '2\n');
    assert.deepEqual(await waiting(), ['Claude 1: waits: none']);
    assert.ok(sets.history.taken.bytes <= 100, String(sets.history.taken.bytes));
    assert.equal(sets.notice, undefined);
    sets.forgetHistory(() => true);
    assert.deepEqual(readdirSync(join(folder, 'snapshots')), ['index.json']);
    limits = { ...limits, files: 0 };
    accept('d', 'd\n');
    assert.deepEqual(entries(), []);
  });

  it('has all that was kept at once, up to what may be kept at all', async () => {
    limits = { ...limits, files: 10, totalBytes: 20 };
    for (let i = 0; i < 10; i++) {
      editor.write(path(`${i}`), '0\n');
      edit(claude, `${i}`, '1\n');
    }
    const before = await waiting();
    review.keepAll();
    assert.deepEqual(await undo(), []);
    assert.deepEqual(await waiting(), before);
    assert.equal(before.length, 10);
  });

  describe('undoes what was kept', () => {
    it('with one write for many files', async () => {
      for (let i = 0; i < 10; i++) {
        edit(claude, `${i}`, '1\n');
      }
      review.keepAll();
      const index = join(folder, 'snapshots', 'index.json');
      const written = new Set<bigint>();
      sets.onDidChange(() => written.add(statSync(index, { bigint: true }).mtimeNs));
      const before = statSync(index, { bigint: true }).mtimeNs;
      assert.deepEqual(await undo(), []);
      written.delete(before);
      assert.equal(written.size, 1);
      assert.deepEqual(entries(), []);
    });

    it('so that it waits again, with its old text from before, also where it was edited again', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(claude, 'a.txt', '1\n');
      edit(other, 'a.txt', '2\n');
      const before = await waiting();
      review.keep([path('a.txt')]);
      assert.deepEqual(await waiting(), []);
      edit(other, 'a.txt', '3\n');
      assert.deepEqual(await undo(), []);
      assert.deepEqual(await waiting(), before);
      assert.equal(text('a.txt'), '3\n');
    });

    it('and a revert then names what the user has saved meanwhile', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(claude, 'a.txt', '1\n');
      review.keepAll();
      editor.type(path('a.txt'), (now) => `${now}mine\n`);
      editor.save(path('a.txt'));
      await undo();
      await changes.refresh();
      const [change] = changes.all;
      assert.ok(change);
      assert.equal(lossOf({ sets, editor }, change).isSaved, true);
    });

    it('under its new name, and not where the user has deleted it', async () => {
      for (const name of ['a.txt', 'b.txt']) {
        editor.write(path(name), '0\n');
        edit(claude, name, '1\n');
      }
      review.keepAll();
      editor.rename(path('a.txt'), path('moved.txt'));
      editor.remove(path('b.txt'));
      assert.deepEqual(await undo(), []);
      assert.deepEqual(await waiting(), ['Claude 1: moved.txt: 0\n']);
    });
  });

  describe('undoes a revert', () => {
    it('of files that were changed, created and deleted, with their permissions', async () => {
      editor.write(path('changed.bin'), '\0\n');
      editor.write(path('deleted.sh'), '0\n');
      chmodSync(path('deleted.sh'), 0o750);
      edit(claude, 'changed.bin', '\0\0\n');
      chmodSync(path('changed.bin'), 0o700);
      edit(claude, 'created.txt', '1\n');
      edit(claude, 'deleted.sh', undefined);
      const before = await waiting();
      await revert('deleted.sh', 'created.txt', 'changed.bin');
      assert.deepEqual(await waiting(), []);
      assert.deepEqual(entries(), ['reverted deleted.sh, created.txt, changed.bin']);
      assert.deepEqual(await undo(), []);
      assert.deepEqual(['changed.bin', 'created.txt', 'deleted.sh'].map(text), ['\0\0\n', '1\n', undefined]);
      assert.equal(statSync(path('changed.bin')).mode & 0o777, 0o700);
      assert.deepEqual(await waiting(), before);
    });

    it('of a file that two sessions had changed, one after the other', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(claude, 'a.txt', '1\n');
      edit(other, 'a.txt', '2\n');
      const before = await waiting();
      await changes.refresh();
      for (const change of changes.ofPath(path('a.txt')).reverse()) {
        await review.revert(change, 'both');
      }
      assert.equal(text('a.txt'), '0\n');
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), '2\n');
      assert.deepEqual(await waiting(), before);
    });

    it('and keeps what came to other lines since', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      edit(claude, 'a.txt', 'a\nb\nC\n');
      await revert('a.txt');
      editor.type(path('a.txt'), (now) => `mine\n${now}`);
      editor.save(path('a.txt'));
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), 'mine\na\nb\nC\n');
      assert.deepEqual(await waiting(), ['Claude 1: a.txt: mine\na\nb\nc\n']);
      await changes.refresh();
      const [change] = changes.all;
      assert.ok(change);
      assert.equal(lossOf({ sets, editor }, change).isSaved, false);
      reload();
      assert.deepEqual(await waiting(), ['Claude 1: a.txt: mine\na\nb\nc\n']);
    });

    it('and gives the agent back what the user has done once more by hand since, and not what else they did', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\nd\ne\nf\ng\n');
      edit(claude, 'a.txt', 'a\nB\nc\nd\ne\nF\ng\n');
      await revert('a.txt');
      editor.type(path('a.txt'), () => 'a\nB\nc\nmine\nd\ne\nf\ng\n');
      editor.save(path('a.txt'));
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), 'a\nB\nc\nmine\nd\ne\nF\ng\n');
      assert.deepEqual(await waiting(), ['Claude 1: a.txt: a\nb\nc\nmine\nd\ne\nf\ng\n']);
    });

    it('and lets all wait that waited, where the user has done all of it once more by hand', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      edit(claude, 'a.txt', 'a\nB\nc\n');
      await revert('a.txt');
      editor.type(path('a.txt'), () => 'a\nB\nc\n');
      editor.save(path('a.txt'));
      assert.deepEqual(await undo(), []);
      assert.deepEqual(await waiting(), ['Claude 1: a.txt: a\nb\nc\n']);
    });

    it('and keeps the text from before, also where another session is about to write', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      edit(claude, 'a.txt', 'a\nb\nC\n');
      await revert('a.txt');
      editor.type(path('a.txt'), (now) => `mine\n${now}`);
      editor.save(path('a.txt'));
      review.willEdit(other, path('a.txt'));
      assert.deepEqual(await undo(), []);
      assert.deepEqual(await waiting(), ['Claude 1: a.txt: mine\na\nb\nc\n']);
    });

    it('one of two sessions in a file, and takes for the user’s only what they have saved', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\nd\ne\n');
      edit(claude, 'a.txt', 'A\nb\nc\nd\ne\n');
      edit(other, 'a.txt', 'A\nb\nc\nd\nE\n');
      await changes.refresh();
      const later = changes.ofPath(path('a.txt'))[1] ?? assert.fail();
      await review.revert(later);
      editor.type(path('a.txt'), (now) => now.replace('c\n', 'c\nmine\n'));
      editor.save(path('a.txt'));
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), 'A\nb\nc\nmine\nd\nE\n');
      assert.deepEqual(await waiting(), [
        'Claude 1: a.txt: a\nb\nc\nmine\nd\ne\n',
        'Claude 2: a.txt: A\nb\nc\nmine\nd\ne\n',
      ]);
    });

    it('but not over the same lines, over a new file, or under unsaved text: it stays in the history', async () => {
      for (const name of ['lines.txt', 'unsaved.txt', 'fine.txt']) {
        editor.write(path(name), '0\n');
        edit(claude, name, '1\n');
      }
      edit(claude, 'new.txt', '1\n');
      await revert('new.txt', 'fine.txt', 'unsaved.txt', 'lines.txt');
      editor.write(path('lines.txt'), 'mine\n');
      editor.write(path('new.txt'), 'mine\n');
      editor.type(path('unsaved.txt'), (now) => `${now}mine\n`);
      assert.deepEqual(await undo(), [
        'lines.txt: it has changed since.',
        'unsaved.txt: it has unsaved changes. Save or discard them first.',
        'new.txt: it has changed since.',
      ]);
      assert.deepEqual(['lines.txt', 'new.txt', 'unsaved.txt', 'fine.txt'].map(text), [
        'mine\n',
        'mine\n',
        '0\n',
        '1\n',
      ]);
      assert.equal(editor.text(path('unsaved.txt')), '0\nmine\n');
      assert.deepEqual(await waiting(), ['Claude 1: fine.txt: 0\n']);
      assert.deepEqual(entries(), ['reverted new.txt, unsaved.txt, lines.txt']);
      editor.undo(path('unsaved.txt'));
      assert.equal((await undo()).length, 2);
      assert.equal(text('unsaved.txt'), '1\n');
    });

    it('but writes nothing through a link that came later', async () => {
      editor.write(path('a.txt'), '0\n');
      editor.write(path('common.txt'), '0\n');
      edit(claude, 'a.txt', '1\n');
      await revert('a.txt');
      rmSync(path('a.txt'));
      symlinkSync('common.txt', path('a.txt'));
      assert.deepEqual(await undo(), ['a.txt: a link leads to another file now.']);
      assert.equal(text('common.txt'), '0\n');
    });

    it('and leaves it alone whose work the other edits are that came since', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      edit(claude, 'a.txt', 'a\nb\nC\n');
      await revert('a.txt');
      edit(other, 'a.txt', 'A\nb\nc\n');
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), 'A\nb\nC\n');
      assert.deepEqual(await waiting(), ['Claude 1: a.txt: a\nb\nc\n', 'Claude 2: a.txt: a\nb\nC\n']);
    });

    it('and leaves what was listed before it under its session', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      edit(claude, 'a.txt', 'A\nb\nc\n');
      edit(other, 'a.txt', 'A\nb\nC\n');
      const before = await waiting();
      const change = changes.ofPath(path('a.txt')).at(-1);
      assert.ok(change);
      await review.revert(change);
      editor.type(path('a.txt'), (now) => `mine\n${now}`);
      editor.save(path('a.txt'));
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), 'mine\nA\nb\nC\n');
      assert.deepEqual(await waiting(), before);
    });

    it('not before it is done', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(claude, 'a.txt', '1\n');
      await changes.refresh();
      const [change] = changes.all;
      assert.ok(change);
      const reverting = review.revert(change);
      assert.deepEqual(await undo(), ['a.txt: it is being written just now.']);
      await reverting;
      assert.equal(text('a.txt'), '0\n');
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), '1\n');
    });

    it('that has failed after it had changed the file', async () => {
      edit(claude, 'new.txt', '1\n');
      editor.delete = async (file) => {
        rmSync(file);
        return false;
      };
      await assert.rejects(revert('new.txt'));
      assert.deepEqual(entries(), ['reverted new.txt']);
      assert.deepEqual(await undo(), []);
      assert.equal(text('new.txt'), '1\n');
      assert.deepEqual(await waiting(), ['Claude 1: new.txt: none']);
    });

    it('that has failed? There is none in the history', async () => {
      editor.write(path('a.txt'), '0\n');
      editor.type(path('a.txt'), (now) => `${now}mine\n`);
      edit(claude, 'a.txt', '1\n');
      editor.refuses = 'save';
      await assert.rejects(revert('a.txt'));
      assert.deepEqual(entries(), []);
    });
  });

  describe('undoes what was accepted', () => {
    it('in a file that was there, and in a new one', async () => {
      editor.write(path('a.txt'), 'a\r\nb\r\n');
      review.didAccept(claude, path('a.txt'), 'a\nB\n');
      edit(claude, 'a.txt', 'a\r\nB\r\n');
      review.takeAccepted();
      accept('new.txt', '1\n');
      assert.deepEqual(await undo(), []);
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), 'a\r\nb\r\n');
      assert.equal(text('new.txt'), undefined);
      assert.deepEqual(await waiting(), []);
    });

    it('and lets wait what waited, and what came later', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\nd\ne\n');
      edit(claude, 'a.txt', 'A\nb\nc\nd\ne\n');
      accept('a.txt', 'A\nb\nC\nd\ne\n');
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), 'A\nb\nc\nd\ne\n');
      assert.deepEqual(await waiting(), ['Claude 1: a.txt: a\nb\nc\nd\ne\n']);
      accept('a.txt', 'A\nb\nC\nd\ne\n');
      edit(claude, 'a.txt', 'A\nb\nC\nd\nE\n');
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), 'A\nb\nc\nd\nE\n');
      assert.deepEqual(await waiting(), ['Claude 1: a.txt: a\nb\nc\nd\ne\n']);
    });

    it('and does not let wait what was kept since', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      edit(claude, 'a.txt', 'A\nb\nc\n');
      accept('a.txt', 'A\nb\nC\n');
      review.keepAll();
      const [entry] = sets.history.entries;
      assert.ok(entry);
      assert.deepEqual(await undoing.undo(entry.id), []);
      assert.equal(text('a.txt'), 'A\nb\nc\n');
      assert.deepEqual(await waiting(), []);
    });

    it('without what a hook has added elsewhere', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      review.didAccept(claude, path('a.txt'), 'A\nb\nc\n');
      review.willEdit(claude, path('a.txt'));
      review.didCall(claude);
      writeFileSync(path('a.txt'), 'A\nb\nc;\n');
      review.didCall(claude);
      review.takeAccepted();
      assert.deepEqual(await waiting(), ['Claude 1: a.txt: A\nb\nc\n']);
      assert.deepEqual(await undo(), []);
      assert.equal(text('a.txt'), 'a\nb\nc;\n');
    });

    it('where nothing can be written any more? All waits as it did, and sessions go on', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      edit(claude, 'a.txt', 'A\nb\nc\n');
      const before = await waiting();
      review.didAccept(claude, path('a.txt'), 'A\nb\nC\n');
      edit(claude, 'a.txt', 'A\nb\nC\n');
      const write = mock.method(SnapshotFiles.prototype, 'write', () => {
        throw new Error('ENOSPC');
      });
      try {
        review.willEdit(claude, path('a.txt'));
      } finally {
        write.mock.restore();
      }
      assert.deepEqual(await waiting(), before);
    });

    it('of which nothing is in the file? There is none in the history', () => {
      editor.write(path('a.txt'), '0\n');
      review.didAccept(claude, path('a.txt'), '1\n');
      review.willEdit(claude, path('a.txt'));
      review.didCall(claude);
      editor.write(path('a.txt'), 'of somebody else\n');
      review.didCall(claude);
      review.takeAccepted();
      assert.deepEqual(entries(), []);
    });
  });
});
