import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { listing } from '../../../src/changes/changeReview.ts';
import type { Author, ChangeSet, TurnStart } from '../../../src/changes/changeSet.ts';
import { GoBack, goalsOf, type WentBack } from '../../../src/changes/goBack.ts';
import { TurnStarts } from '../../../src/changes/turnStarts.ts';
import { UndoDecision } from '../../../src/changes/undoDecision.ts';
import type { TurnMark } from '../../../src/records/events.ts';
import { FakeEditor } from '../../support/fakeEditor.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { openReview, smallLimits } from '../../support/openReview.ts';

const author: Author = { id: 1, pid: 4711, label: 'Claude 1' };
const other: Author = { id: 2, pid: 4712, label: 'Claude 2' };

/** A text whose first line and last can change apart from each other. */
const lines = (first: string, last: string) => `${first}\nx\nx\nx\n${last}\n`;

/** Files, a session that edits them prompt by prompt, and a user. */
class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'ide-bridge-turns-'));
  readonly editor = new FakeEditor();
  limits = smallLimits;
  opened = openReview(this.folder, this.editor, () => this.limits);
  /** What the record of the session tells. */
  turn: TurnMark | undefined;
  turns = this.follow();
  private decisions = 0;

  private follow(): TurnStarts {
    return new TurnStarts(this.opened.sets, this.opened.review, () => this.turn, new MemoryLog());
  }

  /** What is on disk is all that is left. */
  reload(): void {
    this.turns.dispose();
    this.opened.changes.dispose();
    this.opened.sets.dispose();
    this.opened = openReview(this.folder, this.editor, () => this.limits);
    this.turns = this.follow();
  }

  close(): void {
    this.turns.dispose();
    this.opened.changes.dispose();
    this.opened.sets.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  path(name: string): string {
    return join(this.folder, 'files', name);
  }

  text(name: string): string | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8') : undefined;
  }

  put(name: string, content: string | undefined): void {
    mkdirSync(join(this.folder, 'files'), { recursive: true });
    if (content === undefined) {
      rmSync(this.path(name), { force: true });
    } else {
      this.editor.write(this.path(name), content);
    }
    this.editor.follow();
  }

  prompt(by = author): Promise<void> {
    return this.turns.begin(by);
  }

  /** What the CLI does: announces, and writes at once. */
  edit(name: string, content: string | undefined, by = author): void {
    this.opened.review.willEdit(by, this.path(name));
    this.put(name, content);
  }

  /** The user prompts the session, and it edits these files, by name. */
  async asks(edits: Readonly<Record<string, string | undefined>>): Promise<void> {
    await this.prompt();
    Object.entries(edits).forEach(([name, content]) => this.edit(name, content));
  }

  /** The user has accepted a proposal, which the session then writes. */
  accept(name: string, content: string, by = author): void {
    const { review } = this.opened;
    review.didAccept(by, this.path(name), content);
    this.edit(name, content, by);
    review.didCall(by);
    review.takeAccepted();
  }

  /** What the user does in another way than by keeping or reverting. */
  save(name: string, content: string): void {
    this.opened.review.willSave(this.path(name));
    this.put(name, content);
    this.opened.review.didSave(this.path(name));
  }

  /** With what that session's changes of the file are compared, if they are listed. */
  before(name: string, { label } = author): string | undefined {
    const { sets } = this.opened;
    const entry = sets.ofPath(this.path(name)).find(({ set }) => set.label === label);
    return entry && String(sets.before(entry.snapshot));
  }

  get set(): ChangeSet {
    return this.opened.sets.find(author) ?? assert.fail('nothing is listed');
  }

  starts(): TurnStart[] {
    return this.set.turns.filter(({ undoneBy }) => undoneBy === undefined);
  }

  async back(start: TurnStart | undefined): Promise<{ decision: string } & WentBack> {
    assert.ok(start);
    const { sets, review } = this.opened;
    const decision = `decision ${++this.decisions}`;
    return { decision, ...(await new GoBack(sets, review, this.editor).to(this.set, start, decision)) };
  }

  async undo(decision: string): Promise<void> {
    const { sets, review } = this.opened;
    assert.deepEqual(await new UndoDecision(sets, review, this.editor).undo(decision), []);
  }

  async listed(): Promise<string[]> {
    const { changes } = this.opened;
    await changes.refresh();
    return changes.all.map(({ snapshot }) => snapshot.path.slice(this.path('').length + 1));
  }
}

describe('turns', () => {
  let desk: Desk;

  beforeEach(() => {
    desk = new Desk();
  });
  afterEach(() => desk.close());

  it('are gone back to one by one, byte for byte', async () => {
    desk.put('a', '0');
    desk.put('b', '0');
    await desk.asks({ a: '1' });
    await desk.asks({ a: '2', b: '2', new: '2' });
    await desk.asks({ a: '3', b: undefined });
    const [first, second, third] = desk.starts();

    const last = await desk.back(third);
    assert.deepEqual([desk.text('a'), desk.text('b'), desk.text('new')], ['2', '2', '2']);
    assert.equal(last.files.length, 2);
    assert.deepEqual(await desk.listed(), ['a', 'b', 'new']);
    assert.deepEqual(desk.starts(), [first, second]);

    await desk.back(second);
    assert.deepEqual([desk.text('a'), desk.text('b'), desk.text('new')], ['1', '0', undefined]);
    assert.deepEqual(await desk.listed(), ['a']);

    await desk.back(first);
    assert.equal(desk.text('a'), '0');
    assert.deepEqual(await desk.listed(), []);
  });

  it('are gone back to at once, which is undone at once', async () => {
    desk.put('a', '0');
    await desk.asks({ a: '1' });
    await desk.asks({ a: '2', new: '2' });
    const [first] = desk.starts();
    const { decision } = await desk.back(first);
    assert.deepEqual([desk.text('a'), desk.text('new')], ['0', undefined]);
    assert.deepEqual(desk.starts(), []);

    await desk.undo(decision);
    assert.deepEqual([desk.text('a'), desk.text('new')], ['2', '2']);
    assert.deepEqual(await desk.listed(), ['a', 'new']);
    assert.equal(desk.starts().length, 2);
  });

  it('leave out what was edited only before', async () => {
    desk.put('a', '0');
    desk.put('b', '0');
    await desk.asks({ a: '1' });
    desk.opened.review.keep([desk.path('a')]);
    desk.edit('b', '1');
    await desk.asks({ b: '2' });
    desk.save('a', 'the user’s');
    await desk.back(desk.starts()[1]);
    assert.deepEqual([desk.text('a'), desk.text('b')], ['the user’s', '1']);
  });

  it('begin anew after one was gone back from', async () => {
    desk.put('a', '0');
    await desk.asks({ a: '1' });
    await desk.asks({ a: '2' });
    const [first, second] = desk.starts();
    await desk.back(second);
    await desk.asks({ a: '3' });
    const starts = desk.starts();
    assert.deepEqual(
      starts.map(({ edited }) => edited.length),
      [1, 1],
    );
    assert.equal(starts[0], first);
    await desk.back(starts[1]);
    assert.equal(desk.text('a'), '1');
  });

  it('take back also what was kept or accepted in them', async () => {
    for (const name of ['kept', 'accepted']) {
      desk.put(name, '0\n');
    }
    await desk.asks({ kept: '1\n' });
    desk.opened.review.keep([desk.path('kept')]);
    desk.accept('accepted', '1\n');
    assert.deepEqual(await desk.listed(), []);

    const { decision } = await desk.back(desk.starts()[0]);
    assert.deepEqual([desk.text('kept'), desk.text('accepted')], ['0\n', '0\n']);
    await desk.undo(decision);
    assert.deepEqual([desk.text('kept'), desk.text('accepted')], ['1\n', '1\n']);
    assert.deepEqual(await desk.listed(), []);
  });

  it('take back what a command has changed, but not what the user has saved', async () => {
    desk.put('a', '0');
    desk.put('b', '0');
    await desk.asks({ a: '1', b: '1' });
    await desk.prompt();
    desk.put('a', '2, by a command');
    desk.save('b', '2, by the user');
    desk.edit('c', '2');
    await desk.back(desk.starts()[1]);
    assert.deepEqual([desk.text('a'), desk.text('b'), desk.text('c')], ['1', '2, by the user', undefined]);
  });

  it('say where the user has saved, and leave alone what is not saved', async () => {
    desk.put('a', '0');
    desk.put('b', '0');
    await desk.asks({ a: '1', b: '1' });
    desk.save('a', '1, and the user’s');
    desk.editor.type(desk.path('b'), () => 'typed');
    const [start] = desk.starts();
    assert.ok(start);
    assert.deepEqual(
      goalsOf(desk.opened.sets, desk.set, start).map(({ to }) => to?.isSavedOver === true),
      [false, true], // the last comes first
    );
    const { problems, decision } = await desk.back(start);
    assert.deepEqual(problems, ['b: it has unsaved changes. Save or discard them first.']);
    assert.deepEqual([desk.text('a'), desk.text('b')], ['0', '1']);
    await desk.undo(decision);
    assert.equal(desk.text('a'), '1, and the user’s');
  });

  it('of a session take nothing of another back that was there before', async () => {
    desk.put('a', '0');
    await desk.prompt(other);
    desk.edit('a', 'by the other', other);
    await desk.asks({ a: 'by both' });
    await desk.back(desk.starts()[0]);
    assert.equal(desk.text('a'), 'by the other');
    assert.deepEqual(await desk.listed(), ['a']);
  });

  it('are known after a reload of the window, also in the midst of one', async () => {
    desk.put('a', '0');
    await desk.asks({ a: '1' });
    await desk.asks({ a: '2' });
    desk.reload();
    desk.edit('b', '2');
    assert.equal(desk.starts().length, 2);
    await desk.back(desk.starts()[1]);
    assert.deepEqual([desk.text('a'), desk.text('b')], ['1', undefined]);
  });

  it('in which nothing was edited are none', async () => {
    await desk.prompt();
    desk.put('a', '0');
    await desk.asks({ a: '1' });
    await desk.prompt();
    await desk.asks({ a: '2' });
    assert.equal(desk.starts().length, 2);
  });

  it('have the words of the prompt from the record, whichever comes first', async () => {
    desk.turn = { id: 'one', prompt: 'do it', begun: Date.now() };
    await desk.asks({ a: '1' });
    await desk.asks({ a: '2' });
    desk.turn = { id: 'two', prompt: 'again', begun: Date.now() };
    desk.turns.told(author);
    assert.deepEqual(
      desk.starts().map(({ mark }) => mark?.prompt),
      ['do it', 'again'],
    );
  });

  it('follow files that are renamed, and forget those that the user has deleted', async () => {
    desk.put('a', '0');
    desk.put('b', '0');
    await desk.asks({ a: '1', b: '1' });
    await desk.asks({ a: '2', b: '2' });
    desk.put('moved', '2');
    desk.put('a', undefined);
    desk.opened.review.didRename(desk.path('a'), desk.path('moved'));
    desk.put('b', undefined);
    desk.opened.review.didDelete(desk.path('b'));
    await desk.back(desk.starts()[1]);
    assert.deepEqual([desk.text('a'), desk.text('moved'), desk.text('b')], [undefined, '1', undefined]);
  });

  it('are what goes first where there is too much to keep', async () => {
    desk.limits = { files: 100, totalBytes: 350, fileBytes: 1_000 };
    desk.put('a', 'x'.repeat(100));
    for (const letter of 'abcd') {
      await desk.prompt();
      desk.edit('a', letter.repeat(100));
    }
    await desk.asks({ b: '1' });
    assert.deepEqual(await desk.listed(), ['a', 'b']);
    assert.ok(desk.starts().length < 5);
    await desk.back(desk.starts().at(-1));
    assert.deepEqual([desk.text('a'), desk.text('b')], ['d'.repeat(100), undefined]);
  });

  it('leave what the user has reverted', async () => {
    desk.put('a', '0');
    desk.put('b', '0');
    await desk.asks({ a: '1', b: '1' });
    await desk.asks({ a: '2', b: '2' });
    const [entry] = desk.opened.sets.ofPath(desk.path('a'));
    assert.ok(entry);
    await desk.opened.review.revert(entry);
    await desk.back(desk.starts()[1]);
    assert.deepEqual([desk.text('a'), desk.text('b')], ['0', '1']);
  });

  it('name what the user has saved into what was nobody’s any more', async () => {
    desk.put('a', '0');
    desk.put('b', '0');
    await desk.asks({ a: '1', b: '1' });
    await desk.asks({ a: '2', b: '2' });
    desk.opened.review.keep([desk.path('a')]);
    desk.opened.sets.forgetHistory(() => true);
    desk.save('a', 'the user’s');
    const { files, decision } = await desk.back(desk.starts()[1]);
    assert.deepEqual(
      files.filter(({ to }) => to?.isSavedOver).map(({ path }) => path),
      [desk.path('a')],
    );
    assert.deepEqual([desk.text('a'), desk.text('b')], ['1', '1']);
    await desk.undo(decision);
    assert.deepEqual([desk.text('a'), desk.text('b')], ['the user’s', '2']);
  });

  it('keep for the undo what the user has saved, and the agent has taken away, where all is as it was', async () => {
    desk.edit('other', '1'); // so that there is a list
    await desk.asks({ n: '1' });
    desk.opened.review.keep([desk.path('n')]);
    desk.save('n', 'the user’s long work');
    await desk.asks({ n: undefined });
    assert.deepEqual(await desk.listed(), ['other', 'n']);
    const { decision } = await desk.back(desk.starts()[0]);
    assert.equal(desk.text('n'), undefined);
    await desk.undo(decision);
    const [entry] = desk.opened.sets.ofPath(desk.path('n'));
    assert.ok(entry);
    assert.equal(String(desk.opened.sets.before(entry.snapshot)), 'the user’s long work');
  });

  it('know what files were also where the history no longer does, as after a hundred decisions', async () => {
    desk.limits = { ...smallLimits, files: 1_000 };
    desk.put('a', '0\n');
    await desk.prompt();
    desk.accept('a', '1\n');
    await desk.prompt();
    desk.accept('a', '2\n');
    for (let i = 0; i < 100; i++) {
      desk.accept('b', `${i}\n`);
    }
    assert.equal(desk.opened.sets.history.entries.length, 100);
    await desk.back(desk.starts()[0]);
    assert.deepEqual([desk.text('a'), desk.text('b')], ['0\n', undefined]);
  });

  it('compare with what was before when a part was kept, or accepted, in what was gone back from', async () => {
    desk.put('a', lines('0', '0'));
    await desk.asks({ a: lines('1', '0') });
    await desk.prompt();
    desk.accept('a', lines('1', '2'));
    const before = () => desk.before('a');
    assert.equal(before(), lines('0', '2'));
    const { decision } = await desk.back(desk.starts()[1]);
    assert.equal(desk.text('a'), lines('1', '0'));
    assert.equal(before(), lines('0', '0'));
    await desk.undo(decision);
    assert.equal(desk.text('a'), lines('1', '2'));
    assert.equal(before(), lines('0', '2'));
  });

  it('leave what another session has changed in a file that this one has not touched since', async () => {
    desk.put('a', '0');
    await desk.asks({ a: '1' });
    await desk.asks({ b: '2' });
    await desk.prompt(other);
    desk.edit('a', 'by the other', other);
    await desk.asks({ b: '3' });
    desk.opened.review.keep([desk.path('a')]);
    await desk.back(desk.starts()[1]);
    assert.deepEqual([desk.text('a'), desk.text('b')], ['by the other', undefined]);
  });

  it('stay gone where an undo fails', async () => {
    desk.put('a', '0');
    for (const text of ['1', '2', '3']) {
      await desk.prompt();
      desk.edit('a', text);
    }
    const [, second, third] = desk.starts();
    const { decision } = await desk.back(third);
    await desk.back(second);
    const { sets, review } = desk.opened;
    assert.equal((await new UndoDecision(sets, review, desk.editor).undo(decision)).length, 1);
    assert.equal(desk.starts().length, 1);
  });

  it('begin anew where the agent goes on after it was gone back from its turn', async () => {
    desk.put('a', '0');
    desk.turn = { id: 'one', prompt: 'do it', begun: Date.now() };
    await desk.asks({ a: '1' });
    await desk.back(desk.starts()[0]);
    desk.edit('a', '1, again');
    desk.edit('b', '1, again');
    assert.deepEqual(
      desk.starts().map(({ mark, edited }) => [mark?.prompt, edited.length]),
      [['do it', 2]],
    );
    await desk.back(desk.starts()[0]);
    assert.deepEqual([desk.text('a'), desk.text('b')], ['0', undefined]);
  });

  it('write nothing through a link that came later, and a file and its link in their order', async () => {
    desk.put('a', '0');
    desk.put('secret', 'mine');
    symlinkSync(desk.path('a'), desk.path('link'));
    await desk.asks({ a: '1', link: '2' });
    const { decision } = await desk.back(desk.starts()[0]);
    assert.equal(desk.text('a'), '0');
    await desk.undo(decision);
    assert.equal(desk.text('a'), '2');
    desk.opened.review.keepAll();
    rmSync(desk.path('a'));
    symlinkSync(desk.path('secret'), desk.path('a'));
    const { problems } = await desk.back(desk.starts()[0]);
    assert.match(problems.join(), /a: a link leads to another file now/);
    assert.equal(desk.text('secret'), 'mine');
  });

  it('of a prompt that comes while one goes back begin with what that leaves', async () => {
    desk.put('a', '0');
    desk.put('b', '0');
    await desk.asks({ a: '1', b: '1' });
    await desk.asks({ a: '2', b: '2' });
    const goesBack = desk.back(desk.starts()[1]);
    await Promise.all([goesBack, desk.prompt()]);
    assert.deepEqual([desk.text('a'), desk.text('b')], ['1', '1']);
    desk.edit('c', '3');
    await desk.back(desk.starts().at(-1));
    assert.deepEqual([desk.text('a'), desk.text('b'), desk.text('c')], ['1', '1', undefined]);
  });

  it('are gone back to once, however often it is asked for', async () => {
    desk.put('a', '0');
    await desk.asks({ a: '1' });
    const [start] = desk.starts();
    const [first, second] = await Promise.all([desk.back(start), desk.back(start)]);
    assert.deepEqual([first.files.length, second.files.length, second.problems], [1, 0, []]);
    await desk.undo(first.decision);
    assert.equal(desk.text('a'), '1');
  });

  it('are gone back to from anything that agents and user have done, and undone: fast-check', async () => {
    const names = ['a', 'b', 'c'];
    const name = fc.constantFrom(...names);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('prompt' as const) }),
      fc.record({
        kind: fc.constantFrom('edit' as const, 'delete' as const, 'keep' as const, 'save' as const),
        name,
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), fc.nat(), async (steps, chosen) => {
        const world = new Desk();
        try {
          world.put('a', 'a, first\n1\n2\n3\n');
          world.put('b', 'b, first\n1\n2\n3\n');
          const all = () => names.map((each) => world.text(each));
          /** What everything was as each turn began, by `begun`, and what was edited by the agent, and saved by the user, since. */
          const was = new Map<
            number,
            { all: (string | undefined)[]; edited: Set<string>; saved: Set<string> }
          >();
          let count = 0;
          for (const each of [{ kind: 'prompt' as const }, ...steps]) {
            if (each.kind === 'prompt') {
              const now = all();
              const begun = world.opened.sets.tick() + 1;
              await world.prompt();
              was.set(begun, { all: now, edited: new Set(), saved: new Set() });
            } else if (each.kind === 'keep') {
              world.opened.review.keep([world.path(each.name)]);
            } else if (each.kind === 'save') {
              const text = world.text(each.name);
              if (text !== undefined) {
                world.save(each.name, `${text}user ${++count}\n`);
                was.forEach(({ saved }) => saved.add(each.name));
              }
            } else {
              const [, ...others] = (world.text(each.name) ?? '\n1\n2\n3\n').split('\n');
              const edited = [`${each.name}, ${++count}`, ...others].join('\n');
              world.edit(each.name, each.kind === 'edit' ? edited : undefined);
              was.forEach(({ edited }) => edited.add(each.name));
            }
          }
          const set = world.opened.sets.find(author);
          const start = set?.turns[chosen % Math.max(1, set.turns.length)];
          if (!start) {
            return;
          }
          const before = all();
          const listed = await world.listed();
          const closest = [...was.keys()].filter((begun) => begun <= start.begun).at(-1);
          const expected = was.get(closest ?? 0);
          assert.ok(expected);
          const { decision, files } = await world.back(start);
          const userLines = (text: string | undefined) =>
            (text ?? '').split('\n').filter((line) => line.startsWith('user'));
          names.forEach((each, index) => {
            const now = world.text(each);
            if (!expected.edited.has(each)) {
              assert.equal(now, before[index]);
            } else if (!expected.saved.has(each)) {
              assert.equal(now, expected.all[index]);
            } else {
              const isNamed = files.some(({ path, to }) => path === world.path(each) && to?.isSavedOver);
              const lost = userLines(before[index]).filter((line) => !now?.includes(`${line}\n`));
              assert.ok(lost.length === 0 || isNamed, `${lost.join()} is lost without being named`);
              const withoutUser = (text: string | undefined) => text?.replace(/user \d+\n/g, '');
              assert.equal(withoutUser(now), withoutUser(expected.all[index]));
            }
          });
          if (files.length > 0) {
            await world.undo(decision);
            assert.deepEqual(all(), before);
            assert.deepEqual(await world.listed(), listed);
          }
        } finally {
          world.close();
        }
      }),
      { numRuns: Number(process.env.IDE_BRIDGE_TEST_SEQUENCES ?? 100) },
    );
  });

  it('take back also what is left of a file where the user has reverted a part', async () => {
    desk.put('a', lines('0', '0'));
    await desk.asks({ a: lines('1', '1') });
    const { sets, review } = desk.opened;
    const path = desk.path('a');
    const [entry] = sets.ofPath(path);
    assert.ok(entry);
    review.keep([path]); // of the first line, say
    desk.put('a', lines('1', '0'));
    sets.decided('part', 'reverted', [{ path, listed: [listing(entry)], isPart: true }]);
    await desk.back(desk.starts()[0]);
    assert.equal(desk.text('a'), lines('0', '0'));
  });

  describe('of a file that another session has changed before', () => {
    const before = () => desk.before('a', other);

    beforeEach(async () => {
      desk.put('a', lines('0', '0'));
      await desk.prompt(other);
      desk.edit('a', lines('1', '0'), other);
      await desk.prompt();
    });

    it('take what was accepted in them also from what that is compared with', async () => {
      desk.accept('a', lines('1', '2'));
      assert.equal(before(), lines('0', '2'));
      const { decision } = await desk.back(desk.starts()[0]);
      assert.equal(desk.text('a'), lines('1', '0'));
      assert.equal(before(), lines('0', '0'));
      await desk.undo(decision);
      assert.equal(desk.text('a'), lines('1', '2'));
      assert.equal(before(), lines('0', '2'));
    });

    it('take what the user has saved since also from what that is compared with', async () => {
      desk.edit('a', lines('1', '0').replace('x\nx', 'x\n2\nx'));
      const path = desk.path('a');
      desk.editor.type(path, (text) => `${text}the user’s\n`);
      assert.ok(desk.editor.save(path));
      assert.equal(before(), `${lines('0', '0')}the user’s\n`);
      const { decision } = await desk.back(desk.starts()[0]);
      assert.equal(desk.text('a'), lines('1', '0'));
      assert.equal(before(), lines('0', '0'));
      await desk.undo(decision);
      assert.equal(desk.text('a'), `${lines('1', '0').replace('x\nx', 'x\n2\nx')}the user’s\n`);
      assert.equal(before(), `${lines('0', '0')}the user’s\n`);
    });

    it('leave in the review what that has changed between the prompt and the first edit', async () => {
      desk.opened.review.keep([desk.path('a')]);
      desk.edit('a', lines('2', '0'), other);
      desk.edit('a', lines('2', '2'));
      const { decision } = await desk.back(desk.starts()[0]);
      assert.equal(desk.text('a'), lines('2', '0'));
      assert.equal(before(), lines('1', '0'));
      await desk.undo(decision);
      assert.equal(desk.text('a'), lines('2', '2'));
      assert.equal(before(), lines('1', '0'));
    });

    it('lose no line of the user’s or of another’s, and bring none back that is gone: fast-check', async () => {
      // Of either session one that it edits and one where it proposes, as what touches cannot be told; and one of the user.
      const slots = [0, 1, 2, 3, 4] as const;
      const step = fc.record({
        kind: fc.constantFrom('prompt', 'edit', 'accept', 'save', 'keep'),
        isOther: fc.boolean(),
      });
      const numberIn = (line = '') => Number(line.split(': ')[1]);
      const slotsOf = (text: string | undefined) =>
        slots.map((slot) => text?.split('\n')[2 * slot] ?? assert.fail());
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), fc.nat(), async (steps, chosen) => {
          const world = new Desk();
          try {
            const path = world.path('a');
            world.put('a', slots.map((slot) => `slot ${slot}: 0\nx\n`).join(''));
            let count = 0;
            /** Which lines agents have written, and nobody has reviewed. */
            const unseen = new Set<number>();
            const change = (slot: number) => (text: string) =>
              text.replace(new RegExp(`slot ${slot}: .*`), `slot ${slot}: ${++count}`);
            const changed = (slot: number) => change(slot)(world.text('a') ?? assert.fail());
            /** How many lines there had been as each turn of the session began, by `begun`. */
            const counts = new Map<number, number>();
            for (const { kind, isOther } of [{ kind: 'prompt', isOther: false }, ...steps]) {
              const by = isOther ? other : author;
              const first = isOther ? 2 : 0;
              if (kind === 'keep') {
                world.opened.review.keep([path]);
                unseen.clear();
              } else if (kind === 'save') {
                world.editor.type(path, change(4));
                assert.ok(world.editor.save(path));
              } else if (kind === 'edit') {
                world.edit('a', changed(first), by);
                unseen.add(count);
              } else if (kind === 'accept') {
                world.accept('a', changed(first + 1), by);
              } else {
                if (by === author) {
                  counts.set(world.opened.sets.tick() + 1, count);
                }
                await world.prompt(by);
              }
            }
            const set = world.opened.sets.find(author);
            const start = set?.turns[chosen % Math.max(1, set.turns.length)];
            if (!start) {
              return;
            }
            const had = [...counts].filter(([begun]) => begun <= start.begun).at(-1)?.[1] ?? assert.fail();
            const all = async () => {
              await world.listed();
              return world.opened.changes.all.map(({ set: { label }, snapshot }) => ({
                label,
                before: String(world.opened.sets.before(snapshot)),
              }));
            };
            const [text, listed] = [world.text('a'), await all()];
            const { decision, files } = await world.back(start);
            const now = slotsOf(world.text('a'));
            const waiting = await all();
            now.forEach((line, slot) => {
              const isListed = waiting.some(({ before }) => slotsOf(before)[slot] !== line);
              assert.ok(isListed || !unseen.has(numberIn(line)), `${line} is not listed`);
            });
            for (const { label, before } of waiting) {
              slotsOf(before).forEach((line, slot) => {
                const isOld = numberIn(line) <= had;
                const isThere = line === now[slot] || unseen.has(numberIn(now[slot]));
                assert.ok(isThere || (isOld && slot < 4), `${label}: ${line}, now ${now[slot]}`);
              });
            }
            if (files.length > 0) {
              await world.undo(decision);
              assert.equal(world.text('a'), text);
              assert.deepEqual(await all(), listed);
            }
          } finally {
            world.close();
          }
        }),
        { numRuns: Number(process.env.IDE_BRIDGE_TEST_SEQUENCES ?? 100) },
      );
    });
  });
});
