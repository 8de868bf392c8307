import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeReview, listing } from '../../../src/changes/changeReview.ts';
import { lossOf } from '../../../src/changes/loss.ts';
import type { Changes } from '../../../src/changes/changes.ts';
import { type Change } from '../../../src/changes/changes.ts';
import type { Author } from '../../../src/changes/changeSet.ts';
import type { ChangeSets } from '../../../src/changes/changeSets.ts';
import { type SavedText, takeSavedLines } from '../../../src/changes/savedLines.ts';
import { UndoDecision } from '../../../src/changes/undoDecision.ts';
import { savedForAgents } from '../../../src/editor/savedForAgents.ts';
import { FakeEditor } from '../../support/fakeEditor.ts';
import { openReview } from '../../support/openReview.ts';
import { until } from '../../support/until.ts';

describe('the review of changes', () => {
  let folder: string;
  let sets: ChangeSets;
  let changes: Changes;
  let review: ChangeReview;
  let editor: FakeEditor;

  const first: Author = { id: 1, pid: 4711, label: 'Claude 1' };
  const second: Author = { id: 2, pid: 4712, label: 'Claude 2' };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ide-bridge-review-'));
    editor = new FakeEditor();
    ({ sets, changes, review } = openReview(folder, editor));
  });
  afterEach(() => {
    changes.dispose();
    sets.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const path = (name: string) => join(folder, name);
  const text = (name: string) => readFileSync(path(name), 'utf8');

  /** What the CLI does: announces, and writes at once. */
  function edit(author: Author, name: string, content: string | undefined): void {
    review.willEdit(author, path(name));
    if (content === undefined) {
      rmSync(path(name));
    } else {
      editor.write(path(name), content);
    }
    editor.follow();
  }

  async function listed(): Promise<string[]> {
    await changes.refresh();
    return changes.all.map(({ set, snapshot }) => `${set.label}: ${snapshot.path.slice(folder.length + 1)}`);
  }

  async function change(author: Author, name: string): Promise<Change> {
    await changes.refresh();
    const found = changes.ofPath(path(name)).find(({ set }) => set.label === author.label);
    assert.ok(found);
    return found;
  }

  const revert = async (author: Author, name: string) => review.revert(await change(author, name));

  it('reverts nothing through a link that came later: it leads to a file of the user’s', async () => {
    editor.write(path('a.txt'), '0\n');
    editor.write(path('common.txt'), 'the user’s\n');
    edit(first, 'a.txt', '1\n');
    rmSync(path('a.txt'));
    symlinkSync('common.txt', path('a.txt'));
    await assert.rejects(revert(first, 'a.txt'), /a link leads to another file now/);
    assert.equal(text('common.txt'), 'the user’s\n');
  });

  describe('of what the user saves elsewhere in a file', () => {
    const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');
    const was = ['a', 'b', 'c', 'd', 'e', 'f'];
    const save = (change: (text: string) => string) => {
      editor.type(path('a.txt'), change);
      assert.ok(editor.save(path('a.txt')));
    };
    const didSave = (saved: SavedText) =>
      review.didSave(path('a.txt'), (all) => takeSavedLines(review, sets, path('a.txt'), all, saved));
    const before = async (author: Author) =>
      sets.before((await change(author, 'a.txt')).snapshot)?.toString() ?? '';
    const isSaved = async (author: Author) => lossOf({ sets, editor }, await change(author, 'a.txt')).isSaved;

    beforeEach(() => {
      editor.write(path('a.txt'), lines(...was));
    });

    it('counts nothing, and a revert leaves it', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      save((text) => `${text}mine\n`);
      save((text) => `mine too\n${text}`);
      const { comparison, snapshot } = await change(first, 'a.txt');
      assert.deepEqual(comparison.lines, { added: 1, removed: 1, hunks: 1 });
      assert.equal(snapshot.isSavedOver, undefined);
      await revert(first, 'a.txt');
      assert.equal(text('a.txt'), lines('mine too', ...was, 'mine'));
      assert.deepEqual(await listed(), []);
    });

    it('counts nothing after a reload of the window either', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      save((text) => `${text}mine\n`);
      changes.dispose();
      sets.dispose();
      ({ sets, changes, review } = openReview(folder, editor));
      save((text) => `mine too\n${text}`);
      assert.equal(await before(first), lines('mine too', ...was, 'mine'));
      assert.equal(await isSaved(first), false);
    });

    it('takes in what touches nothing of an agent’s alone, and names the rest', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      save((text) => `${text.replace('B\n', 'B and mine\n')}mine\n`);
      assert.equal(await before(first), lines(...was, 'mine'));
      assert.equal(await isSaved(first), true);
    });

    it('tells it for each session by itself, and keeps their order', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      edit(second, 'a.txt', lines(...was.with(1, 'B').with(4, 'E')));
      save((text) => text.replace('B\n', 'mine\n'));
      assert.equal(await before(first), lines(...was));
      assert.equal(await before(second), lines(...was.with(1, 'mine')));
      assert.deepEqual(await Promise.all([first, second].map(isSaved)), [true, false]);
      const { later } = lossOf({ sets, editor }, await change(first, 'a.txt'));
      assert.deepEqual(
        later.map(({ label }) => label),
        ['Claude 2'],
      );
    });

    describe('remembers what of agents’ work was undone by hand', () => {
      const seen = ['a', 'X', 'b', 'c', 'e', 'f', 'Y']; // X and Y have come, d is gone
      const cut = lines(...seen.filter((line) => line !== 'X'));
      const pasted = lines('a', 'b', 'X', 'c', 'e', 'f', 'Y');
      const reload = () => {
        changes.dispose();
        sets.dispose();
        ({ sets, changes, review } = openReview(folder, editor));
      };
      const undone = async () => {
        const { set, snapshot } = await change(first, 'a.txt');
        return set.undoneOf(snapshot);
      };
      const keepY = async () => {
        const listed = await change(first, 'a.txt');
        const step = { from: Buffer.from(text('a.txt').replace('Y\n', '')), to: Buffer.from(text('a.txt')) };
        const kept = { snapshot: listed.snapshot, before: Buffer.from(lines(...was, 'Y')) };
        sets.decided('a part', 'kept', [{ path: path('a.txt'), listed: [listing(listed)], isPart: true }]);
        review.leaveOut(path('a.txt'), step, { kept });
      };

      beforeEach(() => {
        edit(first, 'a.txt', lines(...seen));
      });

      it('over a reload', async () => {
        save(() => cut);
        reload();
        save(() => pasted);
        assert.equal(await before(first), lines(...was));
        assert.equal(await isSaved(first), true);
      });

      it('over a crash', async () => {
        save(() => cut);
        const crashed = sets;
        ({ sets, changes, review } = openReview(folder, editor));
        save(() => pasted);
        assert.equal(await before(first), lines(...was));
        crashed.dispose();
      });

      it('over a rename, and where another part is kept', async () => {
        save(() => cut);
        editor.rename(path('a.txt'), path('b.txt'));
        editor.rename(path('b.txt'), path('a.txt'));
        await keepY();
        save(() => pasted);
        assert.equal(await before(first), lines(...was, 'Y'));
      });

      it('where a decision is undone, and the file was listed anew meanwhile', async () => {
        save(() => cut);
        const decision = review.keep([path('a.txt')]);
        edit(first, 'a.txt', `new\n${cut}`);
        save(() => `Z\n${cut}`); // what touches theirs counts
        assert.deepEqual(await new UndoDecision(sets, review, editor).undo(decision), []);
        save(() => `Z\n${pasted}`);
        assert.equal(await before(first), lines(...was));
        save(() => lines('Z', 'a', 'b', 'X', 'c', 'e', 'new', 'f', 'Y'));
        assert.equal(await before(first), lines(...was));
      });

      it('once, where a part is kept and waits again', async () => {
        save(() => cut);
        await keepY();
        assert.deepEqual(await new UndoDecision(sets, review, editor).undo('a part'), []);
        assert.deepEqual(await undone(), { added: ['X\n'], removed: [] });
      });

      it('and once on disk, however many decisions are in the history', async () => {
        save(() => cut);
        await keepY();
        const undoing = new UndoDecision(sets, review, editor);
        for (let i = 0; i < 5; i++) {
          review.keep([path('a.txt')]);
          edit(first, 'a.txt', `${text('a.txt')}${i}\n`);
          await undoing.undo('a part').catch(() => {});
        }
        changes.dispose();
        sets.dispose();
        const index = readFileSync(join(folder, 'snapshots', 'index.json'), 'utf8');
        assert.equal(index.split('"X\\n"').length, 2, index);
      });

      it('of a line that they had taken out, too', async () => {
        const putBack = lines(...seen.toSpliced(4, 0, 'd'));
        save(() => putBack);
        reload();
        save(() => lines(...seen));
        assert.equal(await before(first), lines(...was));
        reload();
        assert.equal(await undone(), undefined);
      });

      it('but not of what the user has kept', async () => {
        save(() => cut);
        review.keep([path('a.txt')]);
        edit(first, 'a.txt', `new\n${cut}`);
        save(() => `new\n${pasted}`);
        assert.equal(await before(first), pasted);
      });
    });

    it('leaves the row where it is until the file is looked at again', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      await changes.refresh();
      const counts: number[] = [];
      changes.onDidChange(() => counts.push(changes.all.length));
      save((text) => `${text}mine\n`);
      assert.ok(counts.length > 0);
      assert.ok(counts.every((count) => count === 1));
    });

    it('counts nothing, also where the file was looked at before the editor told of the save', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      const saved = lines(...was.with(1, 'B'), 'mine');
      review.willSave(path('a.txt'));
      editor.write(path('a.txt'), saved);
      await changes.refresh(); // as the watcher has told of it
      const hunks = () => changes.ofPath(path('a.txt')).map(({ comparison }) => comparison.lines?.hunks);
      assert.deepEqual(hunks(), [2]);
      didSave({ getText: () => saved });
      await until('what is left to be counted anew', () => hunks().join() === '1');
    });

    it('takes nothing in that an agent may have written meanwhile', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      const saved = lines(...was.with(1, 'B'), 'mine');
      review.willSave(path('a.txt'));
      editor.write(path('a.txt'), lines(...was.with(1, 'B').with(4, 'E'), 'mine'));
      didSave({ getText: () => saved });
      assert.equal(await before(first), lines(...was));
      assert.equal(await isSaved(first), true);
      review.willSave(path('a.txt'));
      edit(second, 'a.txt', saved);
      didSave({ getText: () => saved });
      assert.equal(await before(first), lines(...was));
    });

    it('takes nothing in of a save that failed once, and of which nobody tells before', async () => {
      let now = 0;
      review = editor.review = new ChangeReview(sets, changes, editor, () => now);
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      review.willSave(path('a.txt'));
      now = 60_000;
      editor.write(path('a.txt'), lines(...was.with(1, 'B').with(4, 'E'))); // by a command of its shell
      didSave({ getText: () => text('a.txt') });
      assert.equal(await before(first), lines(...was));
    });

    it('takes nothing in that the editor saves for a tool of an agent', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      const document = { getText: () => text('a.txt') };
      savedForAgents.add(document);
      review.willSave(path('a.txt'));
      editor.write(path('a.txt'), lines(...was.with(1, 'B').with(4, 'formatted')));
      didSave(document);
      assert.equal(await before(first), lines(...was));
    });

    it('has nothing to say of a save that changes nothing', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      save((each) => each);
      assert.equal(await isSaved(first), false);
    });

    describe('leaves it to the user when a keep is undone', () => {
      const agents = was.with(1, 'B').with(4, 'E');
      const keep = () => review.keep([path('a.txt')]);
      const keepB = async () => {
        const listed = await change(first, 'a.txt');
        const step = {
          from: Buffer.from(text('a.txt').replace('B\n', 'b\n')),
          to: Buffer.from(text('a.txt')),
        };
        const kept = {
          snapshot: listed.snapshot,
          before: Buffer.from((await before(first)).replace('b\n', 'B\n')),
        };
        sets.decided('a part', 'kept', [{ path: path('a.txt'), listed: [listing(listed)], isPart: true }]);
        review.leaveOut(path('a.txt'), step, { kept });
      };
      const undo = async (decision: string) =>
        assert.deepEqual(await new UndoDecision(sets, review, editor).undo(decision), []);

      beforeEach(() => edit(first, 'a.txt', lines(...agents)));

      it('of a file', async () => {
        const decision = keep();
        save((each) => `mine\n${each}`);
        save((each) => each.replace('c\n', 'c\nand mine\n'));
        await undo(decision);
        assert.equal(await before(first), lines('mine', ...was.toSpliced(3, 0, 'and mine')));
        assert.equal(await isSaved(first), false);
        await review.revert(await change(first, 'a.txt'));
        assert.equal(text('a.txt'), lines('mine', ...was.toSpliced(3, 0, 'and mine')));
      });

      it('of a part', async () => {
        await keepB();
        save((each) => `${each}mine\n`);
        await undo('a part');
        assert.equal(await before(first), lines(...was, 'mine'));
        assert.equal(await isSaved(first), false);
      });

      it('also after a reload, and where an agent has edited the file since', async () => {
        const decision = keep();
        save((each) => `mine\n${each}`);
        changes.dispose();
        sets.dispose();
        ({ sets, changes, review } = openReview(folder, editor));
        edit(first, 'a.txt', lines('mine', ...agents.with(2, 'C')));
        await undo(decision);
        assert.equal(await before(first), lines('mine', ...was));
      });

      it('of the first of several, of which the others stay kept, or wait again', async () => {
        await keepB();
        save((each) => `mine\n${each}`);
        const decision = keep();
        save((each) => `mine too\n${each}`);
        await undo('a part');
        assert.equal(await before(first), lines('mine too', 'mine', ...was));
        await undo(decision);
        assert.equal(await before(first), lines('mine too', 'mine', ...was));
      });

      it('but for what touches the agent’s, which is named then', async () => {
        const decision = keep();
        save((each) => `mine\n${each.replace('B\n', 'B\nmine\n')}`);
        await undo(decision);
        assert.equal(await before(first), lines('mine', ...was));
        assert.equal(await isSaved(first), true);
      });

      it('but names it where nobody knows what was there before', async () => {
        const decision = keep();
        editor.type(path('a.txt'), (each) => `mine\n${each}`);
        editor.save(path('a.txt'), 'plainly');
        await undo(decision);
        assert.equal(await before(first), lines(...was));
        assert.equal(await isSaved(first), true);
      });
    });

    it('keeps it over a revert that is undone', async () => {
      edit(first, 'a.txt', lines(...was.with(1, 'B')));
      save((each) => `${each}mine\n`);
      const decision = 'a decision';
      await review.revert(await change(first, 'a.txt'), decision);
      assert.equal(text('a.txt'), lines(...was, 'mine'));
      assert.deepEqual(await new UndoDecision(sets, review, editor).undo(decision), []);
      assert.equal(text('a.txt'), lines(...was.with(1, 'B'), 'mine'));
      assert.equal(await before(first), lines(...was, 'mine'));
    });
  });

  describe('says whose a file is', () => {
    it('what it was before the older edit, also where a reload came in the same millisecond', async () => {
      const { now } = Date;
      const moment = now();
      Date.now = () => moment;
      try {
        ['1', '2', '3', '4'].forEach((name) => edit(first, name, 'new\n'));
        editor.write(path('a.txt'), '0\n');
        edit(first, 'a.txt', '1\n');
        const decision = review.keep([path('a.txt')]);
        ['1', '2', '3', '4'].forEach((name) => review.keep([path(name)]));
        changes.dispose();
        sets.dispose();
        ({ sets, changes, review } = openReview(folder, editor));
        edit(first, 'a.txt', '2\n');
        assert.deepEqual(await new UndoDecision(sets, review, editor).undo(decision), []);
      } finally {
        Date.now = now;
      }
      await revert(first, 'a.txt');
      assert.equal(text('a.txt'), '0\n');
    });

    it('nobody’s, once it is reverted', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(first, 'a.txt', '1\n');
      await revert(first, 'a.txt');
      edit(second, 'a.txt', '2\n');
      assert.deepEqual(await listed(), ['Claude 2: a.txt']);
    });

    it('nobody’s, once it is kept, whichever session’s row was used', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(first, 'a.txt', '1\n');
      edit(second, 'a.txt', '2\n');
      review.keep([path('a.txt')]);
      assert.deepEqual(await listed(), []);
    });

    it('that of the session that comes next, where the one before has left it as it was', async () => {
      let now = 0;
      review = new ChangeReview(sets, changes, editor, () => now);
      editor.write(path('a.txt'), '0\n');
      edit(first, 'a.txt', '0\n');
      now = 60_000;
      edit(second, 'a.txt', '2\n');
      assert.deepEqual(await listed(), ['Claude 2: a.txt']);
    });

    it('nobody’s, when the user brings back the text from before, or the agent’s after that', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(first, 'a.txt', '1\n');
      editor.type(path('a.txt'), () => '0\n');
      let now = 60_000;
      review = new ChangeReview(sets, changes, editor, () => (now += 1));
      editor.review = review;
      editor.save(path('a.txt'));
      editor.undo(path('a.txt'));
      editor.save(path('a.txt'));
      assert.equal(text('a.txt'), '1\n');
      assert.deepEqual(await listed(), []);
    });

    it('nobody’s, where a session has announced what it then could not write; not so once it was written', async () => {
      let now = 0;
      review = new ChangeReview(sets, changes, editor, () => now);
      for (const name of ['a.txt', 'b.txt', 'c.txt']) {
        editor.write(path(name), '0\n');
      }
      review.willEdit(first, path('a.txt'));
      edit(first, 'b.txt', '1\n');
      await listed();
      editor.write(path('b.txt'), '0\n'); // another branch
      await listed();
      now = 60_000;
      review.willEdit(first, path('c.txt'));
      assert.equal(review.forgetUnwritten(), true, 'one may still come');
      for (const [name, text] of [
        ['a.txt', 'of git\n'],
        ['b.txt', '1\n'],
        ['c.txt', '2\n'],
      ] as const) {
        editor.write(path(name), text);
      }
      assert.deepEqual(await listed(), ['Claude 1: b.txt', 'Claude 1: c.txt']);
      now = 120_000;
      assert.equal(review.forgetUnwritten(), false);
      assert.deepEqual(await listed(), ['Claude 1: b.txt', 'Claude 1: c.txt']);
    });

    it('the user’s, where a session has announced it and left it as it was, also if saving tells only at its end', async () => {
      let now = 0;
      review = new ChangeReview(sets, changes, editor, () => now);
      editor.review = review;
      for (const name of ['a.txt', 'b.txt']) {
        editor.write(path(name), '0\n');
        edit(first, name, '0\n');
      }
      await listed();
      now = 60_000;
      edit(second, 'b.txt', '0\n'); // and is still about to write it
      await listed();
      for (const name of ['a.txt', 'b.txt']) {
        editor.type(path(name), () => 'mine\n');
        editor.save(path(name), 'plainly');
      }
      edit(second, 'b.txt', '2\n');
      assert.deepEqual(await listed(), ['Claude 2: b.txt']);
      await revert(second, 'b.txt');
      assert.equal(text('b.txt'), 'mine\n');
    });

    it('that of its session under its new name, with its folder too', async () => {
      for (const name of ['dir/a.txt', 'dir/b.txt', 'c.txt']) {
        editor.write(path(name), '0\n');
        edit(first, name, '1\n');
      }
      editor.rename(path('dir'), path('moved'));
      editor.rename(path('c.txt'), path('d.txt'));
      assert.deepEqual(await listed(), ['Claude 1: moved/a.txt', 'Claude 1: moved/b.txt', 'Claude 1: d.txt']);
      await revert(first, 'd.txt');
      assert.equal(text('d.txt'), '0\n');
      assert.ok(!existsSync(path('c.txt')));
    });

    it('that of its session where it was moved outside of the editor, if nobody has written it since', async () => {
      for (const name of ['a.txt', 'b.txt']) {
        editor.write(path(name), '0\n');
        edit(first, name, '1\n');
      }
      await listed();
      renameSync(path('a.txt'), path('moved.txt'));
      rmSync(path('b.txt'));
      editor.write(path('new.txt'), '1\n');
      await listed();
      const moves = await changes.movesTo([path('new.txt'), path('moved.txt')]);
      assert.deepEqual([...moves], [[path('a.txt'), path('moved.txt')]]);
    });

    it('that of its session where case alone has changed in its name, and still leads to it under the old one', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(first, 'a.txt', '1\n');
      await listed();
      linkSync(path('a.txt'), path('A.txt')); // which does so here
      linkSync(path('a.txt'), path('b.txt')); // nobody has moved it
      const moves = await changes.movesTo([path('A.txt'), path('b.txt')]);
      assert.deepEqual([...moves], [[path('a.txt'), path('A.txt')]]);
    });

    it('a session’s again on its branch, where all was kept on another one that has not what the session wrote', async () => {
      for (const name of ['a.txt', 'b.txt']) {
        editor.write(path(name), '0\n');
        edit(first, name, '1\n');
      }
      assert.deepEqual(await listed(), ['Claude 1: a.txt', 'Claude 1: b.txt']);
      editor.write(path('a.txt'), '0\n');
      assert.deepEqual(await listed(), ['Claude 1: b.txt']);
      sets.away = new Set([path('a.txt')]);
      review.keepAll();
      assert.deepEqual(await listed(), []);
      editor.write(path('a.txt'), '1\n');
      assert.deepEqual(await listed(), ['Claude 1: a.txt']);
    });

    it('looked for in no other file once all is reviewed', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(first, 'a.txt', '1\n');
      await listed();
      review.keepAll();
      let count = 0;
      function* appeared() {
        count++;
        yield path('new.txt');
      }
      assert.deepEqual([...(await changes.movesTo(appeared()))], []);
      assert.equal(count, 0);
    });

    it('nobody’s, when the user has deleted it or put another in its place', async () => {
      for (const name of ['a.txt', 'b.txt', 'mine.txt']) {
        editor.write(path(name), '0\n');
      }
      edit(first, 'a.txt', '1\n');
      edit(first, 'b.txt', '1\n');
      editor.remove(path('a.txt'));
      editor.rename(path('mine.txt'), path('b.txt'));
      assert.deepEqual(await listed(), []);
    });
  });

  describe('takes what the user has accepted for reviewed', () => {
    let now: number;

    beforeEach(() => {
      now = 0;
      review = new ChangeReview(sets, changes, editor, () => now);
      editor.review = review;
    });

    /** The user says yes to `proposed`, and the CLI writes: that, or `written`. */
    function accept(author: Author, name: string, proposed: string, written = proposed): void {
      review.didAccept(author, path(name), proposed);
      review.willEdit(author, path(name));
      review.didCall(author); // the announcement
      editor.write(path(name), written);
      review.didCall(author);
      review.takeAccepted();
    }

    const before = async (author: Author, name: string) => {
      const bytes = sets.before((await change(author, name)).snapshot);
      return bytes?.toString();
    };

    it('in a file that nobody had changed, and in a new one', async () => {
      editor.write(path('a.txt'), '0\n');
      accept(first, 'a.txt', '1\n');
      accept(first, 'new.txt', '1\n');
      assert.deepEqual(await listed(), []);
    });

    it('before anything else is written there, whoever looks at it first', async () => {
      editor.write(path('a.txt'), '0\n');
      review.didAccept(first, path('a.txt'), '1\n');
      edit(first, 'a.txt', '1\n');
      edit(first, 'a.txt', '2\n');
      assert.deepEqual(await listed(), ['Claude 1: a.txt']);
      assert.equal(await before(first, 'a.txt'), '1\n');
      editor.write(path('b.txt'), '0\n');
      review.didAccept(first, path('b.txt'), '1\n');
      edit(first, 'b.txt', '1\n');
      editor.type(path('b.txt'), () => 'mine\n');
      editor.save(path('b.txt'));
      assert.deepEqual(await listed(), ['Claude 1: a.txt']);
    });

    it('whatever line ends, mark and last line end the CLI writes', async () => {
      for (const [name, proposed, written] of [
        ['crlf.txt', 'a\nB\n', 'a\r\nB\r\n'],
        ['mark.txt', '\uFEFFa\nB\n', '\uFEFFa\nB\n'],
        ['cut.txt', 'a\nB\n', 'a\nB'],
      ] as const) {
        editor.write(path(name), 'a\nb\n');
        accept(first, name, proposed, written);
      }
      editor.write(path('wide.txt'), 'a\n');
      review.didAccept(first, path('wide.txt'), 'B\n');
      review.willEdit(first, path('wide.txt'));
      writeFileSync(path('wide.txt'), Buffer.from('\uFEFFB\n', 'utf16le'));
      review.takeAccepted();
      assert.deepEqual(await listed(), []);
    });

    it('and shows alone what the session edits there later', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      accept(first, 'a.txt', 'A\nb\nc\n');
      edit(first, 'a.txt', 'A\nb\nC\n');
      assert.equal(await before(first, 'a.txt'), 'A\nb\nc\n');
    });

    it('and lets wait what the file had of unreviewed edits before, in the same order', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\nd\n');
      edit(first, 'a.txt', 'A\nb\nc\nd\n');
      edit(second, 'a.txt', 'A\nB\nc\nd\n');
      const order = () => sets.ofPath(path('a.txt')).map(({ set }) => set.label);
      assert.deepEqual(order(), ['Claude 1', 'Claude 2']);
      accept(first, 'a.txt', 'A\nB\nc\nD\n');
      assert.equal(await before(first, 'a.txt'), 'a\nb\nc\nD\n');
      assert.equal(await before(second, 'a.txt'), 'A\nb\nc\nD\n');
      assert.deepEqual(order(), ['Claude 1', 'Claude 2']);
    });

    it('but not lines that an unreviewed edit had changed before', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\n');
      edit(first, 'a.txt', 'A\nb\nc\n');
      accept(first, 'a.txt', 'AA\nb\nC\n');
      assert.equal(await before(first, 'a.txt'), 'a\nb\nC\n');
      edit(first, 'new.txt', 'a\n');
      accept(first, 'new.txt', 'a\nb\n');
      assert.equal(await before(first, 'new.txt'), undefined);
    });

    it('but not what a hook has made of it in the same moment', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\nd\n');
      accept(first, 'a.txt', 'A\nb\nc\nd=1\n', 'A\nb\nc\nd = 1\n');
      assert.equal(await before(first, 'a.txt'), 'A\nb\nc\nd\n');
    });

    it('but nothing that the CLI has not written', async () => {
      editor.write(path('a.txt'), '0\n');
      accept(first, 'a.txt', '1\n', '0\n');
      now += 60_000;
      edit(first, 'a.txt', '1\n');
      assert.deepEqual(await listed(), ['Claude 1: a.txt']);
      assert.equal(await before(first, 'a.txt'), '0\n');
    });

    it('but not what the user had saved meanwhile, which the CLI writes over', async () => {
      editor.write(path('a.txt'), 'a\nb\nc\nd\n');
      review.didAccept(first, path('a.txt'), 'A\nb\nc\nd\n');
      review.willEdit(first, path('a.txt'));
      editor.type(path('a.txt'), (text) => text.replace('d', 'mine'));
      editor.save(path('a.txt'));
      editor.write(path('a.txt'), 'A\nb\nc\nd\n');
      review.takeAccepted();
      assert.equal(await before(first, 'a.txt'), 'A\nb\nc\nmine\n');
    });

    it('and leaves alone what another session is about to write', async () => {
      editor.write(path('a.txt'), 'a\nb\n');
      review.willEdit(second, path('a.txt'));
      accept(first, 'a.txt', 'A\nb\n');
      editor.write(path('a.txt'), 'A\nB\n');
      assert.deepEqual(await listed(), ['Claude 2: a.txt']);
      assert.equal(await before(second, 'a.txt'), 'A\nb\n');
    });
  });

  it('keeps in mind that another session may have made the edit: over an acceptance, a rename, a keep that is undone, and a reload', async () => {
    editor.write(path('a.txt'), 'agent\nb\nc\n');
    review.found(first, path('a.txt'), { bytes: Buffer.from('a\nb\nc\n') }, 'git', [second]);
    const others = () => sets.all.flatMap(({ snapshots }) => [...snapshots.values()].map(({ orBy }) => orBy));
    review.didAccept(first, path('a.txt'), 'agent\nb\nC\n');
    edit(first, 'a.txt', 'agent\nb\nC\n');
    review.takeAccepted();
    assert.equal(sets.before((await change(first, 'a.txt')).snapshot)?.toString(), 'a\nb\nC\n');
    assert.deepEqual(others(), [['Claude 2']]);
    renameSync(path('a.txt'), path('b.txt'));
    review.didRename(path('a.txt'), path('b.txt'));
    assert.deepEqual(await listed(), ['Claude 1: b.txt']);
    const undoing = new UndoDecision(sets, review, editor);
    assert.deepEqual(await undoing.undo(review.keep([path('b.txt')])), []);
    assert.deepEqual(others(), [['Claude 2']]);
    changes.dispose();
    sets.dispose();
    ({ sets, changes, review } = openReview(folder, editor));
    assert.deepEqual(others(), [['Claude 2']]);
  });

  it('keeps the text from before of a file onto which another one that is followed was moved, as often as that is told', async () => {
    const textBefore = async (name: string) => sets.before((await change(first, name)).snapshot)?.toString();
    editor.write(path('b.txt'), 'mine\n');
    edit(first, 'b.txt', 'edited\n');
    edit(first, 'made.txt', 'made\n');
    renameSync(path('made.txt'), path('b.txt'));
    review.didMove(path('made.txt'), path('b.txt'));
    assert.equal(await textBefore('b.txt'), 'mine\n');
    renameSync(path('b.txt'), path('moved.txt'));
    review.didMove(path('b.txt'), path('moved.txt'));
    review.didMove(path('b.txt'), path('moved.txt'));
    assert.equal(await textBefore('moved.txt'), 'mine\n');
  });

  describe('reverts', () => {
    it('what is unsaved in the editor too, and undo brings it back', async () => {
      editor.write(path('a.txt'), '0\n');
      editor.type(path('a.txt'), (before) => `${before}mine\n`);
      edit(first, 'a.txt', '1\n');
      assert.equal(lossOf({ sets, editor }, await change(first, 'a.txt')).isUnsaved, true);
      await revert(first, 'a.txt');
      assert.equal(text('a.txt'), '0\n');
      assert.ok(!editor.isDirty(path('a.txt')));
      editor.undo(path('a.txt'));
      assert.equal(editor.text(path('a.txt')), '0\nmine\n');
    });

    for (const refused of ['edit', 'save'] as const) {
      it(`nothing at all where the editor refuses the ${refused}`, async () => {
        editor.write(path('a.txt'), '0\n');
        editor.type(path('a.txt'), (before) => `${before}mine\n`);
        edit(first, 'a.txt', '1\n');
        const { mtimeMs } = statSync(path('a.txt'));
        editor.refuses = refused;
        await assert.rejects(revert(first, 'a.txt'), /unsaved changes/);
        assert.equal(text('a.txt'), '1\n');
        assert.equal(statSync(path('a.txt')).mtimeMs, mtimeMs);
        assert.equal(editor.text(path('a.txt')), '0\nmine\n');
        assert.deepEqual(await listed(), ['Claude 1: a.txt']);
      });
    }

    it('nothing that was kept, moved or edited anew while the user was asked', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(first, 'a.txt', '1\n');
      const asked = await change(first, 'a.txt');
      review.keep([path('a.txt')]);
      edit(first, 'a.txt', '2\n');
      await assert.rejects(review.revert(asked), /no longer listed/);
      assert.equal(text('a.txt'), '2\n');
    });

    it('the work of later sessions with it, and names them and what the user has saved', async () => {
      editor.write(path('a.txt'), '0\n');
      edit(first, 'a.txt', '1\n');
      editor.type(path('a.txt'), (before) => `${before}mine\n`);
      editor.save(path('a.txt'));
      edit(second, 'a.txt', '2\n');
      const loss = lossOf({ sets, editor }, await change(first, 'a.txt'));
      assert.equal(loss.isSaved, true);
      assert.deepEqual(
        loss.later.map(({ label }) => label),
        ['Claude 2'],
      );
      assert.equal(lossOf({ sets, editor }, await change(second, 'a.txt')).isSaved, false);
      await revert(first, 'a.txt');
      assert.equal(text('a.txt'), '0\n');
      assert.deepEqual(await listed(), []);
    });

    it('permissions, of what was deleted and of what is there', async () => {
      for (const [name, mode] of [
        ['run.sh', 0o750],
        ['secret.txt', 0o600],
        ['there.sh', 0o755],
      ] as const) {
        writeFileSync(path(name), '0\n');
        chmodSync(path(name), mode);
      }
      edit(first, 'run.sh', undefined);
      edit(first, 'secret.txt', undefined);
      edit(first, 'there.sh', '1\n');
      chmodSync(path('there.sh'), 0o644);
      for (const name of ['run.sh', 'secret.txt', 'there.sh']) {
        await revert(first, name);
      }
      const modes = ['run.sh', 'secret.txt', 'there.sh'].map((name) => statSync(path(name)).mode & 0o777);
      assert.deepEqual(modes, [0o750, 0o600, 0o755]);
    });

    it('a deleted file with its folder', async () => {
      mkdirSync(path('dir'));
      writeFileSync(path('dir/a.txt'), '0\n');
      edit(first, 'dir/a.txt', undefined);
      rmSync(path('dir'), { recursive: true });
      await revert(first, 'dir/a.txt');
      assert.equal(text('dir/a.txt'), '0\n');
    });

    it('one file under two names to what it was under the first', async () => {
      writeFileSync(path('a.txt'), '0\n');
      linkSync(path('a.txt'), path('hard.txt'));
      symlinkSync(path('a.txt'), path('soft.txt'));
      edit(first, 'a.txt', '1\n');
      edit(first, 'hard.txt', '2\n');
      edit(first, 'soft.txt', '3\n');
      await changes.refresh();
      for (const each of changes.all.reverse()) {
        await review.revert(each);
      }
      assert.deepEqual(['a.txt', 'hard.txt', 'soft.txt'].map(text), ['0\n', '0\n', '0\n']);
    });

    it('one file under two names to what it was under the first, also once that is another', async () => {
      writeFileSync(path('a.txt'), '0\n');
      linkSync(path('a.txt'), path('hard.txt'));
      edit(first, 'a.txt', '1\n');
      edit(first, 'hard.txt', '2\n');
      editor.rename(path('a.txt'), path('renamed.txt'));
      await changes.refresh();
      for (const each of changes.all.reverse()) {
        await review.revert(each);
      }
      assert.deepEqual(['renamed.txt', 'hard.txt'].map(text), ['0\n', '0\n']);
    });
  });

  it('does not list what the user has brought back by hand, and deletes elsewhere', async () => {
    editor.write(path('a.txt'), '0\n');
    edit(first, 'a.txt', '1\n');
    review.didCall(first); // which has announced it
    review.didCall(first); // which has written it
    editor.type(path('a.txt'), () => '0\n');
    editor.save(path('a.txt'));
    rmSync(path('a.txt'));
    assert.deepEqual(await listed(), []);
    editor.write(path('a.txt'), '0\n');
    edit(first, 'a.txt', '0\n');
    review.didCall(first);
    editor.type(path('a.txt'), () => '2\n');
    editor.save(path('a.txt'));
    editor.write(path('a.txt'), '1\n'); // it may still come
    assert.deepEqual(await listed(), ['Claude 1: a.txt']);
  });

  it('knows where a file was that is moved, however often, also after a reload', () => {
    editor.write(path('a.txt'), '0\n');
    edit(first, 'a.txt', '1\n');
    editor.rename(path('a.txt'), path('b.txt'));
    editor.rename(path('b.txt'), path('c.txt'));
    sets.dispose();
    const { sets: reloaded } = openReview(folder, new FakeEditor());
    assert.equal(reloaded.ofPath(path('c.txt'))[0]?.snapshot.from, join(realpathSync(folder), 'a.txt'));
    reloaded.dispose();
  });

  it('still lists what the user has renamed, or its folder, where it was seen on disk before the editor told of it', async () => {
    mkdirSync(path('old'));
    editor.write(path('old/a.txt'), '0\n');
    edit(first, 'old/a.txt', '1\n');
    renameSync(path('old'), path('new'));
    review.didMove(path('old/a.txt'), path('new/a.txt'));
    review.didRename(path('old'), path('new'));
    assert.deepEqual(await listed(), ['Claude 1: new/a.txt']);
  });
});
