import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { errorCode, errorMessage, isNotFound } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Queue } from '../base/queue.ts';
import { Throttle } from '../base/throttle.ts';
import {
  type Author,
  bytesOf,
  ChangeSet,
  type Entry,
  type FileState,
  type Snapshot,
  type SnapshotSource,
  type TurnStart,
} from './changeSet.ts';
import { History, type HistoryEntry, type HistoryFile } from './history.ts';
import { hashOf, SnapshotFiles } from './snapshotFiles.ts';

/** What may be kept, over all change sets. */
export interface SnapshotLimits {
  readonly files: number;
  readonly totalBytes: number;
  /** Of one file; a larger one is not kept. */
  readonly fileBytes: number;
}

export interface ChangeSetsOptions {
  /** Absolute; a folder of this window only. */
  dir: string;
  limits: () => SnapshotLimits;
  isAlive: (pid: number) => boolean;
  log: Logger;
}

/** A file before an edit. */
export interface Before {
  /** Absent: there was none. */
  readonly bytes?: Buffer | undefined;
  /** Permissions, as of `chmod`, where they are known. */
  readonly mode?: number | undefined;
}

/** How an edit is known. */
type Origin = Pick<Snapshot, 'source'> & {
  readonly orBy?: string[] | undefined;
  readonly firstTakenAt?: number | undefined;
  readonly replaces?: Snapshot;
};
const announced: Origin = { source: 'announced' };
/** What a text from before is known by, and what goes with it. */
export type Known = Partial<Pick<Snapshot, 'source' | 'isSavedOver'>>;

/** What a save of the user's has made of a text from before. */
export interface Taken {
  /** That has all of it. */
  readonly isWhole: boolean;
}

/** A snapshot that nobody has looked at for this many ms goes when the window opens. */
const maxAge = 14 * 24 * 60 * 60 * 1000;

/** The bytes are no longer on disk as they were written. */
export class LostSnapshot extends Error {}

/** For each session, the files that it edits as they were before. Survives a reload of the window. */
export class ChangeSets implements Disposable {
  private readonly files: SnapshotFiles;
  private readonly sets: ChangeSet[] = [];
  /** The change sets of clients that do not tell their process. */
  private readonly nameless = new WeakMap<Author, ChangeSet>();
  private readonly changed = new Emitter<void>();
  private readonly forgotten = new Emitter<readonly string[]>();
  private readonly replaced = new Emitter<{ old: Snapshot; now: Snapshot }>();
  private readonly saving = new Throttle(250, () => this.save());
  /** Else the index is not written: what earlier sessions have left would be lost. */
  private isLoaded: boolean;
  /** When the newest snapshot was taken, or the newest turn begun. */
  private newest = 0;
  /** What files were as turns began: how many, and their bytes, each text once. */
  private ofTurns = { files: 0, bytes: 0 };

  readonly onDidChange = this.changed.event;
  /** What was decided about files that are, or were, in these change sets. */
  readonly history = new History();
  /** Paths at which a session has no file any more: what is there now is nobody's work. */
  readonly onDidForget = this.forgotten.event;
  /** Before `onDidChange`: the file is compared with another text. */
  readonly onDidReplace = this.replaced.event;
  /** What reads or writes all files of a turn, one after the other. */
  readonly ofTurn = new Queue();
  /** Paths of what waits on another branch or in a stash, see `BranchSwitches`. */
  away: ReadonlySet<string> = new Set();
  /** What the limits have cost, for the user. */
  notice: string | undefined;

  constructor(private readonly options: ChangeSetsOptions) {
    this.files = new SnapshotFiles(options.dir);
    this.isLoaded = this.load();
  }

  get all(): readonly ChangeSet[] {
    return this.sets;
  }

  /** All that is listed, in an array of its own. */
  get entries(): Entry[] {
    return this.sets.flatMap((set) => [...set.snapshots.values()].map((snapshot) => ({ set, snapshot })));
  }

  /** The change set of this session, if it has one. */
  find(author: Author): ChangeSet | undefined {
    const nameless = this.nameless.get(author);
    return this.sets.find((set) => (author.pid === undefined ? set === nameless : set.pid === author.pid));
  }

  /** The change set of this session, which may be a new one that is empty. */
  setOf(author: Author): ChangeSet {
    return this.find(author) ?? this.start(author);
  }

  /** One that is empty as yet. @param startedAt ms since the epoch */
  begin(author: Pick<Author, 'pid' | 'label'>, startedAt?: number): ChangeSet {
    const set = ChangeSet.of(author, startedAt);
    this.sets.push(set);
    return set;
  }

  /** The snapshots of this file, one per session that has changed it. */
  ofPath(path: string): Entry[] {
    const entries = this.sets.flatMap((set) => {
      const snapshot = set.snapshots.get(path);
      return snapshot ? [{ set, snapshot }] : [];
    });
    return entries.sort((a, b) => a.snapshot.takenAt - b.snapshot.takenAt);
  }

  /**
   * Keeps the file as it is at this moment, unless this session has changed it before. Synchronous, because the
   * newest CLI writes without waiting for our answer.
   */
  announce(author: Author, path: string): void {
    if (this.options.limits().files === 0 || this.find(author)?.snapshots.has(path)) {
      return;
    }
    this.take(path, () => this.setOf(author));
  }

  /**
   * Keeps the file as it is at this moment in the place of what it was before. Written at once, so that no crash lists
   * what the user has saved as an agent's. @returns undefined when it cannot
   */
  retake(set: ChangeSet, path: string): Snapshot | undefined {
    const snapshot = this.take(path, () => set);
    this.saveNow();
    return snapshot;
  }

  /**
   * @param before without bytes: there was no file @param orBy see `Snapshot`
   * @throws when they cannot be written
   */
  record(author: Author, path: string, before: Before, source: SnapshotSource, orBy?: string[]): void {
    this.recordIn(() => this.setOf(author), path, before, { source, orBy });
  }

  /**
   * The same, for a set that may only be begun by it.
   * @param at when the session first changed it, in ms since the epoch; now, by default
   * @returns undefined where it is too large to be kept
   */
  recordIn(
    set: () => ChangeSet,
    path: string,
    before: Before,
    origin: Origin,
    at?: number,
  ): Snapshot | undefined {
    const isKept =
      this.options.limits().files > 0 && !(before.bytes && this.isTooLarge(path, before.bytes.length));
    return isKept ? this.put(set, path, before, origin, at) : undefined;
  }

  /** Now, in ms since the epoch, or later: after all that was taken before, and before all that comes. */
  tick(): number {
    this.newest = Math.max(Date.now(), this.newest + 1);
    return this.newest;
  }

  /** What is noted of turns has become another. */
  touchTurns(): void {
    this.countTurns();
    this.dropOldest();
    this.touch();
  }

  /** Files have another path now, or are no longer to be gone back to. @param pathNow undefined for those */
  moveInTurns(pathNow: (path: string) => string | undefined): void {
    const isMoved = (path: string) => pathNow(path) !== path;
    const moved = this.sets
      .flatMap(({ turns }) => turns)
      .filter(({ files, edited }) => Object.keys(files).some(isMoved) || edited.some(isMoved));
    for (const start of moved) {
      start.files = Object.fromEntries(
        Object.entries(start.files).flatMap(([path, state]) => {
          const now = pathNow(path);
          if (now === undefined) {
            return [];
          }
          return [[now, now === path ? state : { ...state, real: realPathOf(now) }]];
        }),
      );
      start.edited = start.edited.flatMap((path) => pathNow(path) ?? []);
    }
    if (moved.length > 0) {
      this.countTurns();
    }
  }

  /** Whether that text is kept. */
  has(hash: string): boolean {
    const isIt = (state: { hash?: string | undefined }) => state.hash === hash;
    const isInTurn = ({ files }: TurnStart) => Object.values(files).some(isIt);
    return (
      this.history.hashes.includes(hash) ||
      this.sets.some(({ snapshots, turns }) => [...snapshots.values()].some(isIt) || turns.some(isInTurn))
    );
  }

  /** Calls its change set as this session is called now. */
  relabel(author: Author): void {
    const set = this.find(author);
    if (set && set.label !== author.label) {
      set.label = author.label;
      this.touch();
    }
  }

  /** The bytes from before; undefined: there was no file. @throws LostSnapshot */
  before({ path, hash }: Snapshot): Buffer | undefined {
    return this.textOf(path, { hash });
  }

  /** What the file was at that moment; undefined: there was none. @throws LostSnapshot */
  textOf(path: string, { hash }: Pick<FileState, 'hash'>): Buffer | undefined {
    const bytes = hash === undefined ? undefined : this.files.read(hash);
    if (hash !== undefined && !bytes) {
      throw new LostSnapshot(`What ${basename(path)} was before is no longer kept.`);
    }
    return bytes;
  }

  /**
   * Compares a file with another text than before, and leaves all else of the snapshot as it was. Written at once.
   * @param at see `recordIn` @param known what is not left as it was
   * @returns undefined when it cannot be: it is compared as it was
   */
  replace(
    { set, snapshot }: Entry,
    bytes: Buffer | undefined,
    at?: number,
    known: Known = {},
  ): Snapshot | undefined {
    const { path, mode, from, isSavedOver, turns, away, ...origin } = {
      firstTakenAt: snapshot.takenAt,
      replaces: snapshot,
      ...snapshot,
      ...known,
    };
    try {
      const replaced = this.put(() => set, path, { bytes, mode }, origin, at);
      Object.assign(replaced, { from, isSavedOver, turns, away });
      this.saveNow();
      return replaced;
    } catch (error) {
      this.options.log.warn(`What is reviewed of ${path} is still listed: ${errorMessage(error)}`);
      return undefined;
    }
  }

  /** What is there now is nobody's work, where no session has a file there. */
  disown(path: string): void {
    this.forgotten.fire([path]);
  }

  /** Whether the file is what it was at that moment, to the last byte; not so if it could not be looked at. */
  isState(path: string, { hash, size }: FileState): boolean {
    return this.isLike(path, hash, size);
  }

  /** Whether these are its bytes. @param bytes undefined: there is no file */
  isNow(path: string, bytes: Buffer | undefined): boolean {
    return this.isLike(path, bytes && hashOf(bytes), bytes?.length ?? 0);
  }

  /**
   * Forgets files of sessions: what is there now is what the user wants. Written at once, so that no crash lists them
   * again.
   */
  forget(isMeant: (snapshot: Snapshot, set: ChangeSet) => boolean): void {
    const forgotten = new Set<string>();
    for (const { set, snapshot } of this.entries) {
      if (isMeant(snapshot, set)) {
        set.snapshots.delete(snapshot.path);
        forgotten.add(snapshot.path);
      }
    }
    if (forgotten.size === 0) {
      return;
    }
    this.dropOldest();
    this.removeEmpty();
    if (this.sets.every(({ snapshots }) => snapshots.size === 0)) {
      this.notice = undefined;
    }
    this.saveNow();
    this.forgotten.fire([...forgotten]);
    this.changed.fire();
  }

  /** One of which the bytes from before are gone. */
  forgetLost(lost: Snapshot): void {
    this.forget((snapshot) => snapshot === lost);
    this.tell(`${basename(lost.path)} is no longer listed: what it was before is no longer kept.`);
  }

  /** Files have another path now. @param target undefined: it has the one that it had */
  move(target: (path: string) => string | undefined): void {
    const moved = new Set<string>();
    for (const { snapshots } of this.sets) {
      const all = [...snapshots.values()];
      snapshots.clear(); // so that their order stays
      for (const snapshot of all) {
        const path = target(snapshot.path);
        if (path !== undefined) {
          snapshots.set(path, {
            ...snapshot,
            path,
            real: realPathOf(path),
            from: snapshot.from ?? snapshot.real,
          });
          moved.add(snapshot.path);
        } else {
          snapshots.set(snapshot.path, snapshot);
        }
      }
    }
    this.moveInTurns((path) => target(path) ?? path);
    const hasMovedInHistory = this.history.move((path) => {
      const moved = target(path);
      return moved === undefined ? undefined : { path: moved, real: realPathOf(moved) };
    });
    if (moved.size > 0 || hasMovedInHistory) {
      this.saveNow();
    }
    if (moved.size > 0) {
      this.forgotten.fire([...moved]);
      this.changed.fire();
    }
  }

  /**
   * The user has saved the file. Written at once: a revert names it, and going back does, also after a crash.
   * @param taken what the save has made of texts from before: where one has all of it, a revert keeps it
   */
  markSaved(path: string, taken: ReadonlyMap<Snapshot, Taken> = new Map()): void {
    const inTurns = this.sets.flatMap(({ turns }) => turns.flatMap(({ files }) => files[path] ?? []));
    const listed = this.ofPath(path).flatMap(({ snapshot }) =>
      taken.get(snapshot)?.isWhole ? [] : [snapshot],
    );
    const unmarked = [...listed, ...inTurns].filter(({ isSavedOver }) => !isSavedOver);
    for (const each of unmarked) {
      each.isSavedOver = true;
    }
    if (this.history.markSaved(path) || unmarked.length + taken.size > 0) {
      this.saveNow();
    }
  }

  /** The file as it is at this moment, for the history. @returns see `keepText` */
  stateOf(path: string): FileState | undefined {
    try {
      const found = statOf(path);
      const isTooLarge = found && found.size > this.options.limits().fileBytes;
      return isTooLarge
        ? undefined
        : this.keepText(found && fs.readFileSync(path), found && found.mode & 0o777);
    } catch (error) {
      this.options.log.warn(`${path} cannot be read for the history: ${errorMessage(error)}`);
      return undefined;
    }
  }

  /** Whether what the file is now can be kept for the history. */
  canRemember(path: string): boolean {
    return this.options.limits().files > 0 && this.stateOf(path) !== undefined;
  }

  /**
   * For the history: there until the next save, and then as long as it is named there.
   * @returns undefined where it is too large or cannot be kept: what is done to it cannot be undone
   */
  keepText(bytes: Buffer | undefined, mode?: number): FileState | undefined {
    if (!bytes) {
      return { size: 0 };
    }
    if (bytes.length > this.options.limits().fileBytes) {
      return undefined;
    }
    try {
      return { hash: this.files.write(bytes), size: bytes.length, ...(mode !== undefined && { mode }) };
    } catch (error) {
      this.options.log.warn(`A text cannot be kept for the history: ${errorMessage(error)}`);
      return undefined;
    }
  }

  /**
   * Written at once. What it takes from the list is to be forgotten after that, and is within the limits until then.
   * @param id of the decision, which may be about other files too
   * @param set the one under which it is shown; those that listed the files by default
   */
  decided(id: string, kind: HistoryEntry['kind'], files: readonly HistoryFile[], set?: ChangeSet): void {
    if (this.options.limits().files > 0 && files.length > 0) {
      const listing = files.flatMap(({ listed }) => listed.map((each) => each.set));
      this.history.add(id, kind, set ? [set.id] : listing, files);
    }
    // All others take something from the list, which does so.
    if (kind === 'accepted' || (kind === 'reverted' && files.some(({ isPart }) => isPart === true))) {
      this.dropOldest();
    }
    this.changeHistory();
  }

  /** Written at once. */
  forgetHistory(isMeant: (file: HistoryFile, entry: HistoryEntry) => boolean): void {
    if (this.history.remove(isMeant)) {
      this.changeHistory();
    }
  }

  /** Something of a set, or of a snapshot, has become another. */
  touch(): void {
    this.saving.schedule();
    this.changed.fire();
  }

  /** Before a crash may lose it. */
  saveNow(): void {
    this.saving.schedule();
    this.saving.flush();
  }

  dispose(): void {
    this.saving.flush();
    this.changed.dispose();
    this.forgotten.dispose();
    this.replaced.dispose();
  }

  /** Keeps the file as it is at this moment. */
  private take(path: string, set: () => ChangeSet): Snapshot | undefined {
    try {
      const found = statOf(path);
      if (!found) {
        return this.put(set, path, {}, announced);
      }
      if (!this.isTooLarge(path, found.size)) {
        return this.put(set, path, { bytes: fs.readFileSync(path), mode: found.mode & 0o777 }, announced);
      }
    } catch (error) {
      this.options.log.warn(`${path} cannot be kept before it is edited: ${errorMessage(error)}`);
    }
    return undefined;
  }

  private put(
    set: () => ChangeSet,
    path: string,
    { bytes, mode }: Before,
    { source, orBy, firstTakenAt, replaces }: Origin,
    at?: number,
  ): Snapshot {
    const hash = bytes && this.files.write(bytes);
    const takenAt = at === undefined ? this.tick() : this.free(at);
    this.newest = Math.max(takenAt, this.newest);
    const snapshot: Snapshot = {
      path,
      real: realPathOf(path),
      hash,
      size: bytes?.length ?? 0,
      mode,
      source,
      orBy,
      takenAt,
      ...(firstTakenAt !== undefined && { firstTakenAt }),
    };
    set().put(snapshot, takenAt === this.newest);
    if (replaces) {
      this.replaced.fire({ old: replaces, now: snapshot });
    }
    this.dropOldest();
    this.touch();
    return snapshot;
  }

  /** That moment, or the first after it at which no snapshot was taken. */
  private free(at: number): number {
    const taken = new Set(this.entries.map(({ snapshot }) => snapshot.takenAt));
    while (taken.has(at)) {
      at++;
    }
    return at;
  }

  private changeHistory(): void {
    this.removeEmpty();
    this.saveNow();
    this.changed.fire();
  }

  private start(author: Author): ChangeSet {
    const set = this.begin(author);
    if (author.pid === undefined) {
      this.nameless.set(author, set);
    }
    return set;
  }

  private isTooLarge(path: string, size: number): boolean {
    const tooLarge = size > this.options.limits().fileBytes;
    if (tooLarge) {
      this.tell(`${path} is too large to be kept (ideBridge.changes.maxFileSize).`);
    }
    return tooLarge;
  }

  private dropOldest(): void {
    const limits = this.options.limits();
    let files = 0;
    let bytes = 0;
    for (const { snapshots } of this.sets) {
      files += snapshots.size;
      snapshots.forEach(({ size }) => (bytes += size));
    }
    const isTooMuch = () => {
      const { ofTurns } = this;
      const { taken } = this.history;
      return (
        files + ofTurns.files + taken.files > limits.files ||
        bytes + ofTurns.bytes + taken.bytes > limits.totalBytes
      );
    };
    if (!isTooMuch()) {
      return; // as after nearly every edit: nothing is copied for it
    }
    while (isTooMuch() && (this.dropOldestTurn() || this.history.removeOldest())) {
      // what can be gone back to first, then what can be undone
    }
    if (!isTooMuch()) {
      this.removeEmpty();
      return;
    }
    for (const { set, snapshot } of this.entries.sort((a, b) => a.snapshot.takenAt - b.snapshot.takenAt)) {
      if (!isTooMuch()) {
        break;
      }
      set.snapshots.delete(snapshot.path);
      files--;
      bytes -= snapshot.size;
    }
    this.removeEmpty();
    this.tell(
      'The oldest changes are no longer listed: there were more than may be kept (ideBridge.changes).',
    );
  }

  /** @returns whether there was one */
  private dropOldestTurn(): boolean {
    const [first] = this.sets
      .filter(({ turns }) => turns.length > 0)
      .sort((a, b) => (a.turns[0]?.begun ?? 0) - (b.turns[0]?.begun ?? 0));
    first?.turns.shift();
    this.countTurns();
    return first !== undefined;
  }

  private countTurns(): void {
    const states = this.sets.flatMap(({ turns }) => turns.flatMap(({ files }) => Object.values(files)));
    this.ofTurns = { files: states.length, bytes: bytesOf(states) };
  }

  private removeEmpty(): void {
    const isEmpty = ({ id, snapshots }: ChangeSet) => snapshots.size === 0 && !this.history.needs(id);
    for (const set of this.sets.filter(isEmpty)) {
      this.sets.splice(this.sets.indexOf(set), 1);
    }
  }

  private tell(notice: string): void {
    this.notice = notice;
    this.options.log.warn(notice);
    this.changed.fire();
  }

  private isLike(path: string, hash: string | undefined, size: number): boolean {
    try {
      const now = statOf(path);
      return hash === undefined || !now
        ? hash === undefined && !now
        : now.size === size && hashOf(fs.readFileSync(path)) === hash;
    } catch {
      return false;
    }
  }

  /** @returns whether there is nothing left in the index that is not known */
  private load(): boolean {
    try {
      const { changeSets: saved, history } = this.files.loadIndex();
      const times = [
        ...saved.flatMap(({ snapshots }) => snapshots.map(({ takenAt }) => takenAt)),
        ...history.map(({ at }) => at),
      ];
      const limit = Date.now() - maxAge;
      const turns = saved.flatMap((set) => set.turns?.map(({ begun }) => begun) ?? []);
      const decided = history.flatMap(({ files }) => files.flatMap(({ listed }) => listed));
      const all = [...times, ...turns, ...decided.map(({ snapshot }) => snapshot.takenAt)];
      this.newest = all.reduce((newest, time) => Math.max(newest, time), this.newest);
      // Where all seem too old, the clock may be ahead: they stay until there is a newer one.
      const oldest = times.some((time) => time > limit) ? limit : 0;
      this.files.dropAside(oldest);
      if (times.some((time) => time <= oldest)) {
        this.saving.schedule(); // so that their bytes go too
      }
      this.sets.unshift(...saved.map((set) => ChangeSet.load(set, oldest, this.options.isAlive)));
      this.history.load(history.filter(({ at }) => at > oldest));
      this.countTurns();
      this.removeEmpty();
      this.changed.fire();
      return true;
    } catch (error) {
      this.options.log.error(`The changes of earlier sessions cannot be read: ${errorMessage(error)}`);
      // A file that is locked, for instance, may be read later. What is new by then stays where it is.
      return errorCode(error) === undefined && this.sets.length === 0 && this.setAside();
    }
  }

  /** What a newer version has written, for instance, shall not be lost to the next edit. */
  private setAside(): boolean {
    try {
      this.options.log.info(`They are left in ${this.files.setAside()}.`);
      return true;
    } catch (error) {
      this.options.log.error(`They stay where they were: ${errorMessage(error)}`);
      return false;
    }
  }

  private save(): void {
    try {
      this.isLoaded ||= this.load();
      if (this.isLoaded) {
        this.files.saveIndex(this.sets, this.history);
      }
    } catch (error) {
      this.options.log.error(`The changes cannot be kept over a reload: ${errorMessage(error)}`);
    }
  }
}

/** Where it leads, through links; for what is not there, where it would be. */
export function realPathOf(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isNotFound(error) || parent === path) {
      return path; // a circle of links, for instance
    }
    return join(realPathOf(parent), basename(path));
  }
}

/** Undefined: there is no such file. @throws when it cannot be read */
export function bytesAt(path: string): Buffer | undefined {
  return statOf(path) && fs.readFileSync(path);
}

/** Undefined: there is no such file. */
function statOf(path: string): fs.Stats | undefined {
  try {
    const stat = fs.statSync(path);
    if (!stat.isFile()) {
      throw new Error('it is not a file'); // to read a pipe would block the whole extension host
    }
    return stat;
  } catch (error) {
    if (isNotFound(error)) {
      return undefined;
    }
    throw error;
  }
}
