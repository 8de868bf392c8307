import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { diffLines } from '../../src/base/lineDiff.ts';
import { ChangeReview, listing } from '../../src/changes/changeReview.ts';
import { lossOf } from '../../src/changes/loss.ts';
import { type Change, Changes } from '../../src/changes/changes.ts';
import type { Author, TurnStart } from '../../src/changes/changeSet.ts';
import { ChangeSets } from '../../src/changes/changeSets.ts';
import { GoBack, goalsOf } from '../../src/changes/goBack.ts';
import { TurnStarts } from '../../src/changes/turnStarts.ts';
import { UndoDecision } from '../../src/changes/undoDecision.ts';
import { FakeEditor, filesIn } from './fakeEditor.ts';
import { MemoryLog } from './memoryLog.ts';

export const authors: readonly Author[] = [
  { id: 1, pid: 4711, label: 'Claude 1' },
  { id: 2, pid: 4712, label: 'Claude 2' },
];
export const names = ['a.txt', 'b.txt', 'dir/c.txt', 'dir/d.txt'];
export const renames = [
  ['a.txt', 'b.txt'],
  ['b.txt', 'dir/c.txt'],
  ['dir/c.txt', 'a.txt'],
  ['dir/c.txt', 'dir/d.txt'],
  ['dir', 'other'],
  ['other', 'dir'],
] as const;
/** In memory where there is such a place: thousands of sequences write some hundred thousand small files. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** ms for which an announcement counts. */
const writeTime = 10_000;

/** What the laws say of a file that a session has announced. */
interface Expected {
  readonly author: Author;
  readonly name: string;
  readonly before: string | undefined;
  /** Which came first. */
  order: number;
  /** Until when, on the clock of the test, the session may be about to write it. */
  awaitedUntil: number;
  /** The index on disk may not have it yet. */
  isFresh: boolean;
  /** What agents did to lines, until the user undid it by hand. */
  undone: Lines;
}

interface Lines {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What the laws say of a decision: what it has taken from the list, and what it has made of a file. */
interface Decided {
  readonly id: string;
  readonly kind: 'kept' | 'reverted' | 'accepted';
  readonly name: string;
  readonly listed: readonly Expected[];
  readonly step?: { readonly from: string | undefined; readonly to: string | undefined };
  /** The user has saved the file since. */
  isSaved?: boolean;
}

/** The real core over a real folder, and beside it the laws: plain lists, with nothing remembered twice. */
export class World {
  protected readonly root = mkdtempSync(join(place, 'ide-bridge-model-'));
  protected readonly folder = join(this.root, 'files');
  private readonly log = new MemoryLog();
  protected readonly editor = new FakeEditor();
  private dir = join(this.root, 'snapshots-0');
  protected sets!: ChangeSets;
  private changes!: Changes;
  protected review!: ChangeReview;
  private undo!: UndoDecision;
  private turns!: TurnStarts;

  protected expected: Expected[] = [];
  /** The last comes last; those of several files at once have one id. */
  private decided: Decided[] = [];
  private clock = 0;
  private count = 0;
  private committed = new Map<string, string>();
  private stash: Map<string, string> | undefined;
  /** Where git or another editor has written: with what a revert takes away there, it only says "your own included". */
  protected readonly written = new Set<string>();
  /** Where a save has failed, which the editor does not tell: one without formatting is taken for its end. */
  private readonly unended = new Set<string>();

  constructor() {
    mkdirSync(this.folder);
    for (const name of names.slice(0, 3)) {
      this.editor.write(this.path(name), [1, 2, 3, 4].map((line) => `${name} ${line}\n`).join(''));
    }
    this.committed = this.files;
    this.open();
  }

  dispose(): void {
    this.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  // What happens

  agentEdits(author: Author, name: string, how: number): void {
    this.announce(author, name);
    this.agentWrites(author, name, how);
  }

  announce(author: Author, name: string): void {
    const now = this.files.get(name);
    this.forget((entry) => entry.name === name && entry.before === now && !this.isAwaited(entry));
    this.unended.delete(name);
    this.expect(author, name, now);
    this.review.willEdit(author, this.path(name));
  }

  shellEdits(author: Author, name: string, how: number): void | Promise<void> {
    const before = this.files.get(name);
    if (!this.agentWrites(author, name, how)) {
      return;
    }
    if (before !== this.files.get(name) && !this.expected.some((entry) => entry.name === name)) {
      this.expect(author, name, before, 0);
    }
    const bytes = before === undefined ? undefined : Buffer.from(before);
    this.review.found(author, this.path(name), { bytes }, 'git');
  }

  protected agentWrites(author: Author, name: string, how: number): boolean {
    const text = this.edited(author, name, how);
    if (text === undefined && !this.files.has(name)) {
      return false;
    }
    this.write(name, text);
    return true;
  }

  /** What an agent may make of it; undefined: it deletes it. */
  private edited(author: Author, name: string, how: number): string | undefined {
    const before = this.expected.find((entry) => entry.author === author && entry.name === name)?.before;
    const lines = (this.files.get(name) ?? '').split('\n').filter(Boolean);
    const edits = [
      [...lines, this.line('agent')],
      [this.line('agent'), ...lines],
      [this.line('agent'), ...lines.slice(1)],
      lines.slice(1),
      undefined, // deletes it
      before?.split('\n').filter(Boolean), // takes its own work back
      lines.toSpliced(lines.length / 2, 0, this.line('agent')),
      lines.toSpliced(lines.length / 2, 1),
    ];
    return edits[how % edits.length]?.map((line) => `${line}\n`).join('');
  }

  /** The user accepts a proposal, which the CLI then writes. */
  accepts(author: Author, name: string, how: number): void {
    const text = this.edited(author, name, how);
    const now = this.files.get(name);
    if (text === undefined) {
      return;
    }
    this.review.didAccept(author, this.path(name), text);
    this.announce(author, name);
    const listed = this.listed(name);
    this.write(name, text);
    this.review.takeAccepted();
    if (text !== now) {
      const { id } =
        this.sets.history.entries.at(-1) ?? assert.fail('what was accepted is not in the history');
      this.decided.push({ id, kind: 'accepted', name, listed, step: { from: now, to: text } });
    }
    const waiting = this.ofFile(name);
    const texts = waiting.map(({ before }) => before);
    waiting.forEach((entry) => this.checkReviewed(entry, now, text));
    if (waiting.some((entry, index) => !this.expected.includes(entry) || entry.before !== texts[index])) {
      this.renew(name);
    }
  }

  /** What was accepted no longer waits, and what was not accepted does, wherever lines tell the two apart. */
  private checkReviewed(entry: Expected, from: string | undefined, to: string): void {
    const { author, name, before } = entry;
    const snapshot = this.sets.find(author)?.snapshots.get(this.path(name));
    const after = snapshot ? this.sets.before(snapshot)?.toString() : to;
    const lines = (text: string | undefined) => new Set((text ?? '').split('\n').filter(Boolean));
    const [was, seen, written, compared] = [before, from, to, after].map(lines) as [
      Set<string>,
      Set<string>,
      Set<string>,
      Set<string>,
    ];
    if (before === from) {
      assert.equal(after, to, 'what was accepted still waits');
    }
    for (const line of written) {
      assert.ok(!seen.has(line) || was.has(line) || !compared.has(line), `${line} no longer waits`);
    }
    for (const line of was) {
      assert.ok(
        seen.has(line) || written.has(line) || compared.has(line),
        `that ${line} went no longer waits`,
      );
    }
    for (const line of compared) {
      assert.ok(was.has(line) || written.has(line), `${line} was never there`);
    }
    if (snapshot) {
      Object.assign(entry, { before: after });
    } else {
      this.forget((each) => each === entry);
    }
  }

  timePasses(): void {
    this.clock += writeTime + 1;
  }

  userTypes(name: string, atStart: boolean): void {
    if (this.files.has(name)) {
      const line = `${this.line('user')}\n`;
      this.editor.type(this.path(name), (text) => (atStart ? line + text : text + line));
    }
  }

  /** @param at a line, or the end */
  userTypesInside(name: string, at: number): void {
    if (this.files.has(name)) {
      const line = `${this.line('user')}\n`;
      this.editor.type(this.path(name), (text) => {
        const lines = text.match(/.*\n/g) ?? [];
        return lines.toSpliced(at % (lines.length + 1), 0, line).join('');
      });
    }
  }

  /** Whoever has written it. @param to where it is put in again, if anywhere */
  userMovesLine(name: string, from: number, to?: number): void {
    if (this.files.has(name)) {
      this.editor.type(this.path(name), (text) => {
        const lines = text.match(/.*\n/g) ?? [];
        const [line = ''] = lines.splice(from % (lines.length || 1), 1);
        return (to === undefined ? lines : lines.toSpliced(to % (lines.length + 1), 0, line)).join('');
      });
    }
  }

  userUndoes(name: string): void {
    if (this.files.has(name)) {
      this.editor.undo(this.path(name));
    }
  }

  /** @param how see `FakeEditor.save` */
  userSaves(which: number, how?: 'plainly' | 'typing on'): void {
    const names = [...this.editor.typed.keys()].map((path) => this.nameOf(path));
    const name = names[which % names.length];
    if (name !== undefined) {
      this.userSavesFile(name, how);
    }
  }

  private userSavesFile(name: string, how?: 'plainly' | 'typing on'): void {
    const before = this.files.get(name);
    const typed = this.editor.typed.get(this.path(name));
    if (typed === undefined || (how === 'plainly' && this.unended.has(name))) {
      return;
    }
    this.unended.delete(name);
    const isAsBefore = (entry: Expected) => entry.name === name && entry.before === before;
    const overtaken = this.expected.filter((entry) => isAsBefore(entry) && this.isAwaited(entry));
    const forgetUnchanged = () => this.forget((entry) => isAsBefore(entry) && !this.isAwaited(entry));
    if (how !== 'plainly') {
      forgetUnchanged();
    }
    const typing = how === 'typing on' ? { line: `${this.line('user')}\n` } : how;
    if (this.editor.save(this.path(name), typing)) {
      this.decided.filter((each) => each.name === name).forEach((each) => (each.isSaved = true));
      forgetUnchanged();
      this.forget((entry) => overtaken.includes(entry));
      if (how !== 'plainly') {
        this.expected
          .filter((entry) => entry.name === name)
          .forEach((entry) => this.checkTakenIn(entry, before, typed));
      }
      overtaken.forEach(({ author }) => this.expect(author, name, typed));
      this.forget((entry) => entry.name === name && entry.before === typed && !this.isAwaited(entry));
    } else {
      assert.notEqual(before, undefined);
      this.unended.add(name);
    }
  }

  /** What the user has saved is in the text from before, wherever it touches nothing of an agent's; and nothing else is. */
  private checkTakenIn(entry: Expected, from: string | undefined, to: string): void {
    const { author, name, before } = entry;
    const snapshot = this.sets.find(author)?.snapshots.get(this.path(name));
    const after = snapshot ? this.sets.before(snapshot)?.toString() : to;
    const [was, seen, saved, compared] = [before, from, to, after].map((text) =>
      (text ?? '').split('\n').filter(Boolean),
    ) as [string[], string[], string[], string[]];
    const added = [...entry.undone.added, ...seen].filter((line) => !was.includes(line));
    const removed = was.filter((line) => entry.undone.removed.includes(line) || !seen.includes(line));
    for (const line of compared) {
      assert.ok(was.includes(line) || saved.includes(line), `${line} was never there`);
      assert.ok(!added.includes(line), `${line} no longer waits`);
    }
    for (const line of was.filter((each) => !compared.includes(each))) {
      assert.ok(seen.includes(line) && !saved.includes(line), `${line} would be lost`);
      const isUsers = !removed.includes(line) || isReplaced(line, seen, saved);
      assert.ok(isUsers, `that ${line} went no longer waits`);
    }
    const isOnce = (lines: readonly string[]) => new Set(lines).size === lines.length;
    assert.ok(isOnce(compared) || !isOnce(was), 'a line is there twice'); // by a decision about half of a move it may be
    const isWanting = saved.some((line) => !seen.includes(line) && !compared.includes(line));
    assert.ok(
      !isWanting || snapshot?.isSavedOver,
      'what the user has saved would be lost without being named',
    );
    const old = saved.filter((line) => seen.includes(line));
    if (before !== undefined && from !== undefined && isSame(seen, old)) {
      for (const [above, line, below] of insertions(seen, saved)) {
        const isApart = areNeighbours(was, above, below) && line.startsWith('user') && !added.includes(line);
        assert.ok(!isApart || compared.includes(line), `${line} counts as a change`);
      }
    }
    const undone = {
      added: added.filter((line) => !saved.includes(line)),
      removed: removed.filter((line) => saved.includes(line)),
    };
    Object.assign(entry, { before: after }, from !== undefined && { undone }); // a file comes back as a whole
  }

  /**
   * An agent changes a file in two places more. The user cuts out a line of an agent's, or puts back one that an agent has taken
   * out, and does the opposite after that.
   */
  async userUndoesAndRedoes(
    author: Author,
    name: string,
    which: number,
    to: number,
    between: Between,
  ): Promise<void> {
    if (!this.files.has(name) || this.editor.isDirty(this.path(name))) {
      return;
    }
    [0, 1].forEach((how) => this.agentEdits(author, name, how));
    this.reload(); // a crash would take what is not written down yet
    this.editor.follow();
    const lines = linesOf(this.files.get(name));
    const before = linesOf(this.expected.find((entry) => entry.name === name)?.before);
    const changed = [
      ...lines.filter((line) => !before.includes(line)),
      ...before.filter((line) => !lines.includes(line)),
    ];
    const line = changed[which % changed.length];
    if (line === undefined) {
      return;
    }
    const isCut = lines.includes(line);
    const put = (into: string[], at: number) => into.toSpliced(at, 0, line).join('');
    const cut = (from: string[]) => from.filter((each) => each !== line).join('');
    const above = before.slice(0, before.indexOf(line)).findLast((each) => lines.includes(each));
    const place = above === undefined ? 0 : lines.indexOf(above) + 1;
    this.userMakes(name, (text) => (isCut ? cut(text) : put(text, place)));
    const now = await this.meanwhile(name, between, which);
    this.userMakes(now, (text) => (isCut ? put(text, to % (text.length + 1)) : cut(text)));
  }

  private userMakes(name: string, make: (lines: string[]) => string): void {
    if (this.files.has(name)) {
      this.editor.type(this.path(name), (text) => make(linesOf(text)));
      this.userSavesFile(name);
    }
  }

  /** @returns what the file is called then */
  private async meanwhile(name: string, between: Between, which: number): Promise<string> {
    const other = `${name}.renamed`;
    const acts: Record<Between, () => void | Promise<void>> = {
      nothing: () => {},
      reload: () => this.reload(),
      crash: () => this.crash(),
      rename: () => this.userRenames(name, other),
      keepPart: () => this.keepPart(name, which),
    };
    await acts[between]();
    return this.files.has(name) ? name : other;
  }

  userRenames(from: string, to: string): void {
    const isMoved = (name: string) => name === from || name.startsWith(`${from}/`);
    const files = this.files;
    if (![...files.keys()].some(isMoved)) {
      return;
    }
    const moved = (name: string) => to + name.slice(from.length);
    this.forget(({ name }) => name === to || name.startsWith(`${to}/`));
    this.expected = this.expected.map((entry) =>
      isMoved(entry.name) ? { ...entry, name: moved(entry.name), awaitedUntil: 0 } : entry,
    );
    [...this.written].filter(isMoved).forEach((name) => this.written.add(moved(name)));
    this.forgetKept((name) => name === to || name.startsWith(`${to}/`));
    this.decided = this.decided.map((each) =>
      isMoved(each.name)
        ? {
            ...each,
            name: moved(each.name),
            listed: each.listed.map((entry) => ({ ...entry, name: moved(entry.name) })),
          }
        : each,
    );
    this.editor.rename(this.path(from), this.path(to));
  }

  userDeletes(path: string): void {
    const isDeleted = (name: string) => name === path || name.startsWith(`${path}/`);
    if ([...this.files.keys()].some(isDeleted)) {
      this.forget(({ name }) => isDeleted(name));
      this.forgetKept(isDeleted);
      this.editor.remove(this.path(path));
    }
  }

  commit(): void {
    this.committed = this.files;
  }

  checkout(): void {
    this.writeAll(this.committed);
  }

  stashes(): void {
    if (this.stash) {
      this.writeAll(this.stash);
      this.stash = undefined;
    } else {
      this.stash = this.files;
      this.writeAll(this.committed);
    }
  }

  async keepFile(name: string): Promise<void> {
    await this.keep([name], () => this.review.keep([this.path(name)]));
  }

  /** One of the hunks of the session that has changed it first. */
  async keepPart(name: string, which: number): Promise<void> {
    const [entry] = this.ofFile(name);
    const [change] = this.sets.ofPath(this.path(name));
    const now = linesOf(this.files.get(name));
    if (entry?.before === undefined || !change || now.length === 0) {
      return;
    }
    const before = linesOf(entry.before);
    const { hunks } = diffLines(before, now);
    const hunk = hunks[which % hunks.length];
    if (!hunk) {
      return;
    }
    const { beforeStart, beforeEnd, nowStart, nowEnd } = hunk;
    const kept = before.toSpliced(beforeStart, beforeEnd - beforeStart, ...now.slice(nowStart, nowEnd));
    const without = now.toSpliced(nowStart, nowEnd - nowStart, ...before.slice(beforeStart, beforeEnd));
    const [from, to, text] = [without, now, kept].map((lines) => Buffer.from(lines.join(''))) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const id = randomUUID();
    const path = this.path(name);
    this.decided.push({ id, kind: 'kept', name, listed: this.listed(name) });
    this.sets.decided(id, 'kept', [{ path, listed: this.sets.ofPath(path).map(listing), isPart: true }]);
    this.review.leaveOut(path, { from, to }, { kept: { snapshot: change.snapshot, before: text } });
    this.adopt(name);
    this.renew(name);
    const left = this.ofFile(name).find((each) => each === entry);
    assert.equal(left ? left.before : String(to), String(text));
  }

  async keepSession(author: Author): Promise<void> {
    const kept = this.expected.filter((entry) => entry.author === author).map(({ name }) => name);
    const paths = [...(this.sets.find(author)?.snapshots.keys() ?? [])];
    await this.keep(kept, () => this.review.keep(paths));
  }

  /** And sees that to undo it at once would have been as if nothing had happened. */
  private async keep(names: readonly string[], keep: () => string): Promise<void> {
    await this.changes.refresh();
    const waiting = this.waiting();
    let id = keep();
    if (this.sets.history.find(id)) {
      assert.deepEqual(await this.undo.undo(id), []);
      await this.changes.refresh();
      assert.deepEqual(this.waiting(), waiting, 'to keep and to undo that is not as if nothing had happened');
      id = keep();
    }
    const now = this.files;
    for (const name of new Set(names)) {
      const listed = this.listed(name).filter(({ before }) => before !== now.get(name));
      if (listed.length > 0) {
        this.decided.push({ id, kind: 'kept', name, listed });
      }
    }
    this.forget(({ name }) => names.includes(name));
  }

  async revertFile(which: number, refuses?: 'edit' | 'save'): Promise<void> {
    await this.changes.refresh();
    const { all } = this.changes;
    const change = all[which % all.length];
    if (change) {
      await this.revert(change, refuses);
    }
  }

  async revertSession(author: Author): Promise<void> {
    await this.changes.refresh();
    const set = this.sets.find(author);
    const decision = randomUUID();
    for (const change of set ? this.changes.ofSet(set).reverse() : []) {
      await this.revert(change, undefined, decision);
    }
  }

  /** By hunks, or by hand: the editor is given the text from before. */
  async revertHunks(author: Author, name: string): Promise<void> {
    const entry = this.expected.find((candidate) => candidate.author === author && candidate.name === name);
    const { before } = entry ?? {};
    if (before !== undefined && this.files.has(name)) {
      this.editor.type(this.path(name), () => before);
      this.userSavesFile(name);
    }
  }

  prompts(author: Author): Promise<void> {
    return this.turns.begin(author);
  }

  /** And sees that to undo it at once would be as if nothing had happened. */
  async goesBack(author: Author, which: number): Promise<void> {
    await this.changes.refresh();
    const set = this.sets.find(author);
    const isShown = ({ edited, undoneBy }: TurnStart) => edited.length > 0 && undoneBy === undefined;
    const turns = () => structuredClone(this.sets.find(author)?.turns.filter(isShown)) ?? [];
    const start = set?.turns.filter(isShown)[which % turns().length];
    if (!set || !start || this.changes.ofSet(set).length + this.sets.history.ofSet(set.id).length === 0) {
      return; // the view shows nothing of it
    }
    const state = () => ({
      files: this.files,
      typed: this.editor.typed,
      waiting: this.waiting(),
      turns: turns(),
    });
    const before = state();
    const goals = goalsOf(this.sets, set, start);
    const takenAt = ({ author: by, name }: Expected) =>
      this.sets.find(by)?.snapshots.get(this.path(name))?.takenAt;
    const taken = new Map(this.expected.map((each) => [each, takenAt(each)]));
    const id = randomUUID();
    const { files, problems } = await new GoBack(this.sets, this.review, this.editor).to(set, start, id);
    this.editor.follow();
    for (const { path, to } of goals) {
      const name = this.nameOf(path);
      const isThere = to && this.files.get(name) === this.sets.textOf(path, to)?.toString();
      const isNamed = problems.some((problem) => problem.includes(basename(name)));
      assert.ok(isThere || isNamed, `${name} is not what it was at that prompt, and nothing says so`);
    }
    assert.ok(files.every(({ path }) => goals.some((goal) => goal.path === path)));
    assert.deepEqual(this.editor.typed, before.typed, 'what was typed is another');
    assert.ok(!problems.some((problem) => problem.includes('lost')), problems.join());
    const decided = this.sets.history.find(id)?.files.map(({ path }) => this.nameOf(path)) ?? [];
    if (decided.length > 0) {
      assert.deepEqual(await this.undo.undo(id), []);
      this.editor.follow();
      await this.changes.refresh();
    }
    for (const each of this.expected.filter(({ name }) => decided.includes(name))) {
      if (each.before === this.files.get(each.name) && !this.isAwaited(each)) {
        this.forget((other) => other === each);
      } else if (takenAt(each) !== taken.get(each)) {
        each.order = ++this.count; // its session is about to write what has just been written
      }
    }
    assert.deepEqual(state(), before, 'to go back and to undo that is not as if nothing had happened');
  }

  /** Of one of the decisions that are left. */
  async undoes(which: number): Promise<void> {
    const { entries } = this.sets.history;
    const entry = entries[which % entries.length];
    if (!entry) {
      return;
    }
    const { id } = entry;
    const [files, typed] = [this.files, this.editor.typed];
    const problems = await this.undo.undo(id);
    assert.deepEqual(this.editor.typed, typed, 'to undo has changed what was typed');
    this.editor.follow();
    const left = this.sets.history.find(id)?.files.map(({ path }) => path) ?? [];
    assert.equal(left.length, problems.length);
    const meant = this.decided.filter((each) => each.id === id).reverse();
    const names = new Set(meant.map(({ name }) => name));
    for (const [name, text] of files) {
      assert.ok(names.has(name) || this.files.get(name) === text, `${name} has nothing to do with it`);
    }
    for (const each of meant) {
      const refused = left.indexOf(this.path(each.name));
      if (refused >= 0) {
        left.splice(refused, 1);
        if (isDecidedOnce(each.name, meant)) {
          assert.equal(this.files.get(each.name), files.get(each.name));
          this.checkRefusal(each, typed);
        }
        continue;
      }
      this.checkUndone(each, files.get(each.name), meant);
      if (!isDecidedOnce(each.name, meant)) {
        this.adopt(each.name);
      }
      this.decided = this.decided.filter((other) => other !== each);
    }
  }

  /** Only where it would take away what came later. */
  private checkRefusal({ name, step }: Decided, typed: ReadonlyMap<string, string>): void {
    assert.ok(step);
    const isChanged = this.files.get(name) !== step.to;
    assert.ok(isChanged || typed.has(this.path(name)), `to undo what was done to ${name} was possible`);
  }

  private checkUndone(
    { name, kind, step, listed, isSaved }: Decided,
    was: string | undefined,
    all: readonly Decided[],
  ): void {
    const now = this.files.get(name);
    const isOnce = isDecidedOnce(name, all);
    const isExact = !step || was === step.to || was === step.from;
    if (step && isExact && isOnce) {
      assert.equal(now, step.from, 'to undo has not brought back what was there');
    } else if (step && isOnce) {
      const linesOf = (text: string | undefined) => (text ?? '').split('\n').filter(Boolean);
      for (const line of linesOf(was)) {
        assert.ok(now?.includes(line) || step.to?.includes(line), `${line} was written since, and is lost`);
      }
    }
    if (step && now !== was) {
      this.overtake(name, was, now);
    }
    if (kind !== 'accepted' || isExact) {
      for (const entry of listed) {
        const other = this.expected.find((each) => each.author === entry.author && each.name === name);
        if (other ? other.order >= entry.order : kind !== 'accepted') {
          this.forget((each) => each === other);
          const again = { ...entry, awaitedUntil: other?.awaitedUntil ?? 0 };
          this.expected.push(again);
          if (isSaved && (kind === 'kept' || (kind === 'reverted' && !isExact))) {
            this.checkSavedSince(again, other?.before);
          }
        }
      }
      if (step && !isExact) {
        // What came since the revert stays the work of its session alone.
        this.adopt(name, ({ author }) => !listed.some((entry) => entry.author === author));
      }
      this.forget((each) => each.name === name && each.before === now && !this.isAwaited(each));
    } else {
      this.adopt(name);
    }
  }

  /** What was kept or reverted waits again: of what the user has saved since, nothing is lost without being named. */
  private checkSavedSince(entry: Expected, newer: string | undefined): void {
    const { author, name, before } = entry;
    const snapshot = this.sets.find(author)?.snapshots.get(this.path(name));
    // Without one, all that waited is as it was before.
    const after = snapshot ? this.sets.before(snapshot)?.toString() : this.files.get(name);
    const [was, compared, now] = [before, after, this.files.get(name)].map(linesOf) as [
      string[],
      string[],
      string[],
    ];
    // What the user has saved another session may have taken out since: that has it in its text from before.
    const others = this.ofFile(name).map((each) => each.before);
    const there = [...was, ...now, ...[newer, ...others].flatMap(linesOf)];
    for (const line of compared) {
      assert.ok(there.includes(line), `${line} was never there`);
    }
    for (const line of was) {
      assert.ok(compared.includes(line) || !now.includes(line), `${line} would be lost`);
    }
    Object.assign(entry, { before: after });
  }

  reload(): void {
    this.close();
    this.expected.forEach((entry) => Object.assign(entry, { awaitedUntil: 0, isFresh: false }));
    this.open();
  }

  /** Whatever is in memory only is lost; unsaved text comes back, as the editor keeps it. */
  crash(): void {
    const lost = this.dir;
    this.dir = join(this.root, `snapshots-${++this.count}`);
    mkdirSync(lost, { recursive: true });
    cpSync(lost, this.dir, { recursive: true });
    this.close();
    this.open();
    const isThere = ({ author, name }: Expected) =>
      this.sets.find(author)?.snapshots.has(this.path(name)) === true;
    this.expected = this.expected.filter((entry) => isThere(entry) || !entry.isFresh);
    this.expected.forEach((entry) => Object.assign(entry, { awaitedUntil: 0 }));
  }

  // What must be so

  /** Each session's entries are those that it has written since, with the text from before. */
  async check(): Promise<void> {
    this.editor.follow();
    await this.changes.refresh();
    const now = this.files;
    assert.deepEqual(
      this.sets.history.entries.flatMap(({ id, files }) => files.map(({ path }) => `${id} ${path}`)).sort(),
      this.decided.map(({ id, name }) => `${id} ${this.path(name)}`).sort(),
    );
    const told = this.changes.all.map((change) => ({
      by: change.set.label,
      name: this.nameOf(change.snapshot.path),
      before: this.sets.before(change.snapshot)?.toString(),
    }));
    const followed = this.sets.all.flatMap(({ label, snapshots }) =>
      [...snapshots.keys()].map((path) => `${label}: ${this.nameOf(path)}`),
    );
    const expected = this.expected.map(({ author, name, before }) => ({ by: author.label, name, before }));
    assert.deepEqual(followed.sort(), expected.map(({ by, name }) => `${by}: ${name}`).sort());
    const key = ({ by, name }: (typeof told)[0]) => `${by}: ${name}`;
    const sorted = (list: typeof told) => list.sort((a, b) => key(a).localeCompare(key(b)));
    assert.deepEqual(sorted(told), sorted(expected.filter(({ name, before }) => before !== now.get(name))));
    for (const name of this.written) {
      if (![...this.expected, ...this.decided].some((each) => each.name === name)) {
        this.written.delete(name);
      }
    }
  }

  /** `session: file: text from before`, of what waits for review. */
  private waiting(): string[] {
    return this.changes.all
      .map(({ set, snapshot }) => `${set.label}: ${snapshot.path}: ${this.sets.before(snapshot)?.toString()}`)
      .sort();
  }

  /** Those who came first come first. */
  private ofFile(name: string): Expected[] {
    return this.expected.filter((entry) => entry.name === name).sort((a, b) => a.order - b.order);
  }

  /** They are compared with other texts, which are newer than all that is in the history. */
  private renew(name: string): void {
    this.ofFile(name).forEach((entry) => (entry.order = ++this.count));
  }

  private listed(name: string): Expected[] {
    return this.expected.filter((entry) => entry.name === name).map((entry) => ({ ...entry }));
  }

  private forgetKept(isMeant: (name: string) => boolean): void {
    this.decided = this.decided.filter(({ kind, name }) => kind !== 'kept' || !isMeant(name));
  }

  /** Somebody has written the file for the user. */
  private overtake(name: string, was: string | undefined, now: string | undefined): void {
    const same = this.expected.filter((entry) => entry.name === name && entry.before === was);
    const awaited = same.filter((entry) => this.isAwaited(entry));
    this.forget((entry) => same.includes(entry));
    awaited.forEach(({ author }) => this.expect(author, name, now));
  }

  /** What a merge has made of the texts from before, of which `checkReviewed` and the unit tests tell what it may do. */
  private adopt(name: string, isMeant: (entry: Expected) => boolean = () => true): void {
    for (const entry of this.expected.filter((each) => each.name === name && isMeant(each))) {
      const snapshot = this.sets.find(entry.author)?.snapshots.get(this.path(name));
      if (snapshot) {
        Object.assign(entry, { before: this.sets.before(snapshot)?.toString() });
      } else {
        this.forget((each) => each === entry);
      }
    }
  }

  private async revert(change: Change, refuses?: 'edit' | 'save', decision?: string): Promise<void> {
    const { path } = change.snapshot;
    const name = this.nameOf(path);
    const entry = this.expected.find((each) => each.author.label === change.set.label && each.name === name);
    assert.ok(entry);
    const loss = lossOf({ sets: this.sets, editor: this.editor }, change);
    const files = this.files;
    const typed = this.editor.typed;
    const followed = this.sets.all.map(({ snapshots }) => [...snapshots.values()]);
    const id = decision ?? randomUUID();
    const listed = this.listed(name).filter(({ order }) => order >= entry.order);
    this.editor.refuses = refuses;
    try {
      await this.review.revert(change, id);
    } catch (error) {
      assert.ok(refuses, String(error));
      assert.deepEqual(this.files, files, 'a revert that fails has changed a file');
      assert.deepEqual(this.editor.typed, typed, 'a revert that fails has changed what was typed');
      assert.deepEqual(
        this.sets.all.map(({ snapshots }) => [...snapshots.values()]),
        followed,
      );
      return;
    } finally {
      this.editor.refuses = undefined;
    }
    this.editor.follow();
    const { before } = entry;
    const expected = new Map([...files].filter(([each]) => each !== name));
    assert.deepEqual(this.files, before === undefined ? expected : expected.set(name, before));
    const others = [...typed].filter(([each]) => each !== path);
    assert.deepEqual(this.editor.typed, new Map(others));

    const lost = (text: string | undefined) =>
      (text ?? '').split('\n').filter((line) => line.startsWith('user') && !before?.includes(`${line}\n`));
    if (lost(files.get(name)).length > 0) {
      const isNamed = loss.isSaved || loss.later.length + loss.earlier.length > 0 || this.written.has(name);
      assert.ok(isNamed, 'what the user had saved is lost without being named');
    }
    if (lost(typed.get(path)).length > 0) {
      assert.ok(loss.isUnsaved, 'what the user had typed is lost without being named');
    }
    this.forget((each) => each.name === name && each.order >= entry.order);
    this.decided.push({ id, kind: 'reverted', name, listed, step: { from: files.get(name), to: before } });
  }

  protected get files(): Map<string, string> {
    return filesIn(this.folder);
  }

  protected path(name: string): string {
    return join(this.folder, name);
  }

  private nameOf(path: string): string {
    return path.slice(this.folder.length + 1);
  }

  private line(by: string): string {
    return `${by}${++this.count}`;
  }

  private open(): void {
    this.unended.clear();
    const options = { dir: this.dir, limits: () => limits, isAlive: () => true, log: this.log };
    this.sets = new ChangeSets(options);
    this.sets.onDidForget((paths) => paths.forEach((path) => this.editor.onDidUse?.(path)));
    this.changes = new Changes(this.sets, this.log);
    this.review = new ChangeReview(this.sets, this.changes, this.editor, () => this.clock);
    this.undo = new UndoDecision(this.sets, this.review, this.editor);
    this.turns = new TurnStarts(this.sets, this.review, () => undefined, this.log);
    Object.assign(this.editor, { review: this.review, sets: this.sets });
  }

  private close(): void {
    this.turns.dispose();
    this.changes.dispose();
    this.sets.dispose();
  }

  private isAwaited({ awaitedUntil }: Expected): boolean {
    return awaitedUntil > this.clock;
  }

  protected expect(author: Author, name: string, before: string | undefined, patience = writeTime): void {
    const awaitedUntil = patience && this.clock + patience;
    const own = this.expected.find((entry) => entry.author === author && entry.name === name);
    if (own) {
      own.awaitedUntil = awaitedUntil;
    } else {
      const undone = { added: [], removed: [] };
      this.expected.push({ author, name, before, order: ++this.count, awaitedUntil, isFresh: true, undone });
    }
  }

  private forget(isMeant: (entry: Expected) => boolean): void {
    this.expected = this.expected.filter((entry) => !isMeant(entry));
  }

  protected write(name: string, content: string | undefined): void {
    if (content === undefined) {
      rmSync(this.path(name), { force: true });
    } else {
      this.editor.write(this.path(name), content);
    }
  }

  private writeAll(files: ReadonlyMap<string, string>): void {
    const now = this.files;
    for (const name of new Set([...now.keys(), ...files.keys()])) {
      if (now.get(name) !== files.get(name)) {
        this.write(name, files.get(name));
        this.written.add(name);
      }
    }
  }
}

export type Between = 'nothing' | 'reload' | 'crash' | 'rename' | 'keepPart';

function linesOf(text: string | undefined): string[] {
  return text?.match(/.*\n/g) ?? [];
}

/** Whether something else stands where that line has gone. */
function isReplaced(line: string, before: readonly string[], now: readonly string[]): boolean {
  const at = before.indexOf(line);
  const isThere = (each: string) => now.includes(each);
  return !areNeighbours(now, before.slice(0, at).findLast(isThere), before.slice(at + 1).find(isThere));
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** The lines that are new, each between those of before; undefined: the start or the end. */
function insertions(
  before: readonly string[],
  now: readonly string[],
): [above: string | undefined, line: string, below: string | undefined][] {
  const isOld = (line: string) => before.includes(line);
  return now.flatMap((line, index) =>
    isOld(line) ? [] : [[now.slice(0, index).findLast(isOld), line, now.slice(index).find(isOld)]],
  );
}

/** Whether nothing stands between these two. */
function areNeighbours(
  lines: readonly string[],
  above: string | undefined,
  below: string | undefined,
): boolean {
  const at = above === undefined ? -1 : lines.indexOf(above);
  return (above === undefined || at >= 0) && lines[at + 1] === below;
}

/** Whether none of them is about another file that was renamed to that one since. */
function isDecidedOnce(name: string, all: readonly Decided[]): boolean {
  return all.filter((each) => each.name === name).length === 1;
}

const limits = { files: 1_000, totalBytes: 10_000_000, fileBytes: 100_000 };
