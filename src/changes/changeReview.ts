import { randomUUID } from 'node:crypto';
import { Emitter } from '../base/emitter.ts';
import { AcceptedEdits, type AcceptedEdit } from './acceptedEdits.ts';
import type { Changes } from './changes.ts';
import {
  type Author,
  type ChangeSet,
  type Entry,
  firstTaken,
  type Snapshot,
  type SnapshotSource,
} from './changeSet.ts';
import { type Before, bytesAt, type ChangeSets, type Known, realPathOf, type Taken } from './changeSets.ts';
import { isSame } from './comparison.ts';
import type { Editor } from './editor.ts';
import type { HistoryFile, Listed } from './history.ts';
import { isAt } from '../server/isAt.ts';
import { type FileStep, rebase } from './merge.ts';
import type { Save } from './ownLines.ts';

/** ms within which a CLI writes the file that it has announced. */
export const writeTime = 10_000;

/** By a session, which is about to write that file, or has written it. */
export interface FoundEdit {
  readonly author: Author;
  readonly path: string;
}

/** A save that has begun. */
interface Saving {
  /** What the file was before; undefined: there was none, or none that can be read. */
  readonly from: Buffer | undefined;
  /** When it is no longer believed that it goes on, on the clock of the review. */
  readonly until: number;
}

/** A file as it was before a session first changed it. */
export interface TextBefore {
  readonly entry: Entry;
  /** Undefined: there was none. */
  readonly bytes: Buffer | undefined;
}

/** What that file is to be compared with from now on, as a part of it is kept. */
export interface KeptPart {
  readonly snapshot: Snapshot;
  readonly before: Buffer;
}

/** What is listed again, and what was listed until then. */
export interface Restored {
  readonly before?: Snapshot | undefined;
  readonly now: Snapshot;
}

/**
 * Decides whose each file is. What was kept, reverted, or taken over by the user belongs to nobody, and a session's
 * entry is only for what it has itself written since.
 */
export class ChangeReview {
  /** Until when the session is about to write what it has announced. */
  private readonly awaited = new WeakMap<Snapshot, number>();
  /** By a call that is told right after it. */
  private announced: Snapshot | undefined;
  /** The change sets that are about to edit what the user is saving, by path. */
  private readonly overtaken = new Map<string, readonly ChangeSet[]>();
  /** What the user is saving, by path: what is there until then. Only as long as nobody else is known to write it. */
  private readonly saving = new Map<string, Saving>();
  /** Where each file was that was seen to move just now, by its path now. */
  private readonly from = new Map<string, string>();
  /** Paths that a revert or an undo writes: what happens there is not the user's. */
  private readonly writing = new Set<string>();
  private readonly accepted: AcceptedEdits;
  private readonly edited = new Emitter<FoundEdit>();

  /** A session is about to write a file, or was found to have written it. */
  readonly onDidFindEdit = this.edited.event;

  constructor(
    private readonly sets: ChangeSets,
    private readonly changes: Pick<Changes, 'isSame' | 'hasDiffered'>,
    private readonly editor: Editor,
    /** In ms, on a clock that nobody sets. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.accepted = new AcceptedEdits(readable, now, writeTime);
  }

  /** The user has accepted a proposal, which its session is about to write. @param text with LF line ends */
  didAccept(author: Author, path: string, text: string): void {
    this.takeAccepted(path); // of the edit before
    this.accepted.add(author, path, text);
  }

  /** This session has called a tool: what it has announced before, it has written by now. */
  didCall(author: Author): void {
    this.accepted.called(author);
    this.sets.find(author)?.snapshots.forEach((snapshot) => {
      if (snapshot !== this.announced && this.isAwaited(snapshot)) {
        this.awaited.set(snapshot, 1); // over
      }
    });
    this.announced = undefined;
  }

  /** What the user has accepted, and the CLI has written, is reviewed. @param path all by default */
  takeAccepted(path?: string): void {
    this.accepted.takeWritten(path).forEach((edit) => this.takeOver(edit));
  }

  /** This session is about to write the file. Synchronous, because the newest CLI does not wait. */
  willEdit(author: Author, path: string): Snapshot | undefined {
    this.takeAccepted(path);
    this.accepted.announced(author, path);
    this.saving.delete(path);
    this.overtaken.delete(path); // the editor does not tell of a save that it could not end
    this.forgetSame(path);
    this.sets.announce(author, path);
    const snapshot = this.sets.find(author)?.snapshots.get(path);
    this.await(snapshot);
    this.announced = snapshot;
    this.edited.fire({ author, path });
    return snapshot;
  }

  /**
   * Forgets what a session has announced and not written, as where the CLI refuses an edit of lines that have changed: what
   * becomes of the file later is not its doing.
   * @returns whether one may still be written
   */
  forgetUnwritten(): boolean {
    const announced = this.sets.entries
      .map(({ snapshot }) => snapshot)
      .filter((snapshot) => (this.awaited.get(snapshot) ?? 0) > 0);
    const over = new Set(announced.filter((snapshot) => !this.isAwaited(snapshot)));
    over.forEach((snapshot) => this.awaited.delete(snapshot)); // what it is on another branch later says nothing
    this.sets.forget(
      (snapshot) =>
        over.has(snapshot) &&
        !this.changes.hasDiffered(snapshot) &&
        this.sets.isState(snapshot.path, snapshot),
    );
    return over.size < announced.length;
  }

  /**
   * A session has written a file that it has not announced, as it seems. One that is as it was is not followed: the
   * next change there may be the user's.
   * @param before what the file was, as far as one can tell @param orBy others who may have written it instead
   */
  found(
    author: Author,
    path: string,
    before: Before,
    source: SnapshotSource,
    orBy: readonly Author[] = [],
  ): void {
    this.saving.delete(path);
    if (!this.isFollowed(path) && !this.sets.isNow(path, before.bytes)) {
      const labels = orBy.map(({ label }) => label);
      this.sets.record(author, path, before, source, labels.length > 0 ? labels : undefined);
      this.edited.fire({ author, path });
    }
  }

  /** What this session had written without announcing it is in its list. */
  didList(author: Author, path: string): void {
    this.edited.fire({ author, path });
  }

  /** Whether a session has announced or changed it, so that what happens there is in its list. */
  isFollowed(path: string): boolean {
    return this.sets.ofPath(path).length > 0;
  }

  /** Somebody has moved it, as far as one can tell: not onto another one that is followed, whose text from before would go. */
  didMove(from: string, to: string): void {
    if (!this.isFollowed(to)) {
      this.didRename(from, to);
      this.from.set(to, from);
      setTimeout(() => this.from.delete(to), writeTime).unref();
    }
  }

  /** Whether it is followed, or may be again once a decision is undone. */
  mayWait(path: string): boolean {
    return this.isFollowed(path) || this.sets.history.takenOff(path).length > 0;
  }

  /** The user is about to write the file. Some ways to save tell only that they have. */
  willSave(path: string): void {
    if (!this.writing.has(path)) {
      this.takeAccepted(path);
      this.overtaken.set(path, this.forgetSame(path));
      if (this.mayWait(path)) {
        this.saving.set(path, { from: readable(path), until: this.now() + writeTime });
      }
    }
  }

  /**
   * The user has written the file: with the text from before, they have reverted it by hand.
   * @param takeIn makes in the texts from before what the save has changed; where that can be told
   */
  didSave(path: string, takeIn?: (save: Save) => ReadonlyMap<Snapshot, Taken> | undefined): void {
    if (this.writing.has(path)) {
      return;
    }
    const save = this.saved(path);
    this.sets.markSaved(path, save && takeIn?.(save)); // before what is retaken, which has it
    const overtaken =
      this.overtaken.get(path) ?? this.forgetSame(path, (snapshot) => this.changes.isSame(snapshot));
    for (const set of overtaken) {
      this.retake(set, path);
    }
    this.overtaken.delete(path);
    this.forgetSame(path);
  }

  /** The user has deleted the file or folder: that it is gone is what they want. */
  didDelete(path: string): void {
    if (!this.writing.has(path)) {
      this.sets.moveInTurns((each) => (isAt(each, path) ? undefined : each));
      this.sets.forget((snapshot) => isAt(snapshot.path, path));
      this.sets.forgetHistory((file, { kind }) => kind === 'kept' && isAt(file.path, path));
    }
  }

  /** The user has renamed or moved the file or folder: what is known of it goes with it. */
  didRename(from: string, to: string): void {
    // Of what was there; not what was seen to move there before the editor told of it.
    const isOther = (path: string) => isAt(path, to) && this.from.get(path) !== from + path.slice(to.length);
    this.sets.moveInTurns((path) => (isOther(path) ? undefined : path));
    this.sets.forget(({ path }) => isOther(path));
    this.sets.forgetHistory((file, { kind }) => kind === 'kept' && isOther(file.path));
    this.sets.move((path) => (isAt(path, from) ? to + path.slice(from.length) : undefined));
  }

  /** What is there now is what the user wants, whoever wrote it. @returns the decision, for the history */
  keep(paths: Iterable<string>): string {
    const kept = new Set(paths);
    return this.keepEach((path) => kept.has(path));
  }

  keepAll(): string {
    return this.keepEach(() => true);
  }

  private keepEach(isKept: (path: string) => boolean): string {
    const decision = randomUUID();
    const paths = new Set(this.sets.entries.map(({ snapshot }) => snapshot.path).filter(isKept));
    const files = [...paths].flatMap((path): HistoryFile[] => {
      const entries = this.sets.ofPath(path).filter(({ snapshot }) => !this.changes.isSame(snapshot));
      return entries.length > 0 ? [{ path, listed: entries.map(listing) }] : [];
    });
    this.sets.decided(decision, 'kept', files);
    const kept = new Set(files.map(({ path }) => path));
    const { away } = this.sets; // not to be seen now
    this.sets.forget(({ path }) => paths.has(path) && (kept.has(path) || !away.has(path)));
    return decision;
  }

  /**
   * Gives the file back every byte that it had before the session's first edit, and with that takes away what others
   * did to it later.
   * @param decision the id of the entry in the history, which may be about other files too
   * @throws when the bytes are lost or cannot be written, or when there is nothing to revert any more
   */
  async revert(entry: Entry, decision: string = randomUUID()): Promise<void> {
    const { set, snapshot } = entry;
    const { path } = snapshot;
    if (set.snapshots.get(path) !== snapshot) {
      throw new Error('it is no longer listed.'); // kept, moved or edited anew while the user was asked
    }
    if (snapshot.real !== undefined && realPathOf(path) !== snapshot.real) {
      throw new Error('a link leads to another file now.');
    }
    const gone = new Set(this.sets.ofPath(path).map((each) => each.snapshot));
    const before = this.sets.before(snapshot);
    const recorded = this.record(decision, entry);
    try {
      await this.whileWriting(path, async () =>
        (await import('./revertFile.ts')).revertFile(this.editor, entry, before),
      );
    } catch (error) {
      // Where a part was written, what was there is in the history alone.
      if (recorded?.step && this.sets.isState(path, recorded.step.from)) {
        this.sets.forgetHistory((file) => file === recorded);
      }
      throw error;
    }
    for (const { set: other, snapshot: taken } of this.sets.ofPath(path)) {
      if (!gone.has(taken)) {
        this.retake(other, path); // announced meanwhile, and written after this
      }
    }
    this.sets.forget((other) => gone.has(other) && other.takenAt >= snapshot.takenAt);
  }

  /**
   * Writes the file for the user. It is nobody's then but theirs who are about to write it.
   * @param write may delete it
   */
  async write(path: string, write: () => Promise<void>): Promise<void> {
    this.takeAccepted(path);
    const overtaken = this.forgetSame(path);
    await this.whileWriting(path, write);
    for (const set of overtaken) {
      this.retake(set, path);
    }
    this.sets.disown(path);
  }

  /** What the file is now is what it was before that session, which may be about to write it. */
  retake(set: ChangeSet, path: string): void {
    this.await(this.sets.retake(set, path));
  }

  /** Whether its session may be about to write the file. */
  isAwaited(snapshot: Snapshot): boolean {
    return (this.awaited.get(snapshot) ?? 0) > this.now();
  }

  /** Whether a revert or an undo has begun to write it, and not ended. */
  isWriting(path: string): boolean {
    return this.writing.has(path);
  }

  private async whileWriting(path: string, write: () => Promise<void>): Promise<void> {
    this.writing.add(path);
    try {
      await write();
    } finally {
      this.writing.delete(path);
    }
  }

  /** The file is listed again as it was listed. */
  didRestore(path: string, restored: readonly Restored[]): void {
    for (const { before, now } of restored) {
      this.awaited.set(now, (before && this.awaited.get(before)) ?? 0);
    }
    this.forgetSame(path);
  }

  /**
   * Of this step of the file nothing waits for review any more, whoever else has changed it.
   * @param author who has made it, and is done; undefined: the user
   * @param since what was first listed then or before stays as it is; in ms since the epoch
   * @param kept by the user, a part of one of them
   */
  leaveOut(
    path: string,
    step: FileStep,
    { author, since = 0, kept }: { author?: Author; since?: number; kept?: KeptPart } = {},
  ): void {
    const now = readable(path);
    const own = author && this.sets.find(author);
    const isAwaited = ({ set, snapshot }: Entry) => set !== own && this.isAwaited(snapshot);
    const keptOf = ({ snapshot }: Entry) => (kept?.snapshot === snapshot ? kept.before : undefined);
    const later = this.textsBefore(path).filter(({ entry }) => firstTaken(entry.snapshot) > since);
    const rebased = later.map(({ entry, bytes: old }) => ({
      entry,
      old,
      bytes: keptOf(entry) ?? rebase(old, step, now),
    }));
    const over = new Set<Snapshot>();
    if (rebased.some(({ old, bytes }) => !isSame(old, bytes))) {
      for (const { entry, bytes } of rebased) {
        if (isSame(bytes, now) && (keptOf(entry) || !isAwaited(entry))) {
          over.add(entry.snapshot);
        } else {
          this.replace(entry, bytes);
        }
      }
    }
    this.sets.forget((snapshot) => over.has(snapshot));
    this.sets.disown(path);
  }

  /** Of all sessions that have changed the file; without those that are lost. */
  textsBefore(path: string): TextBefore[] {
    return this.sets.ofPath(path).flatMap((entry) => {
      try {
        return [{ entry, bytes: this.sets.before(entry.snapshot) }];
      } catch {
        return [];
      }
    });
  }

  /**
   * Compares the file with another text than before.
   * @param bytes undefined: there was no file
   * @param at see `ChangeSets.recordIn` @param known what is not left as it was @returns undefined when it cannot be
   */
  replace(entry: Entry, bytes: Buffer | undefined, at?: number, known?: Known): Snapshot | undefined {
    const replaced = this.sets.replace(entry, bytes, at, known);
    if (replaced) {
      this.awaited.set(replaced, this.awaited.get(entry.snapshot) ?? 0);
    }
    return replaced;
  }

  /** What the save that ends now has changed; undefined where an agent may have written it since it began. */
  private saved(path: string): Save | undefined {
    const { from, until = 0 } = this.saving.get(path) ?? {};
    this.saving.delete(path);
    const to = from && until > this.now() ? readable(path) : undefined;
    return from && to && { from, to };
  }

  private takeOver({ author, path, from, to }: AcceptedEdit): void {
    const before = this.sets.keepText(from);
    const after = this.sets.stateOf(path);
    if (before && after) {
      const listed = this.sets.ofPath(path).map(listing);
      const step = { from: { ...before, mode: after.mode }, to: after };
      this.sets.decided(
        randomUUID(),
        'accepted',
        [{ path, real: realPathOf(path), listed, step }],
        this.sets.setOf(author),
      );
    }
    this.leaveOut(path, { from, to }, { author });
  }

  /** What a revert will do, before it does. @returns undefined where it cannot be undone */
  private record(decision: string, { snapshot }: Entry): HistoryFile | undefined {
    const { path, real, hash, size, mode } = snapshot;
    const from = this.sets.stateOf(path);
    if (!from) {
      return undefined;
    }
    const entries = this.sets.ofPath(path).filter((each) => each.snapshot.takenAt >= snapshot.takenAt);
    const file = { path, real, listed: entries.map(listing), step: { from, to: { hash, size, mode } } };
    this.sets.decided(decision, 'reverted', [file]);
    return file;
  }

  private await(snapshot: Snapshot | undefined): void {
    if (snapshot) {
      this.awaited.set(snapshot, this.now() + writeTime);
    }
  }

  /** Forgets whose the file was where it is as before. @returns those who are about to write it */
  private forgetSame(
    path: string,
    isSame = (snapshot: Snapshot) => this.sets.isState(path, snapshot),
  ): ChangeSet[] {
    const same = this.sets.ofPath(path).filter(({ snapshot }) => isSame(snapshot));
    const isAwaited = ({ snapshot }: Entry) => this.isAwaited(snapshot);
    const forgotten = new Set(same.filter((entry) => !isAwaited(entry)).map(({ snapshot }) => snapshot));
    this.sets.forget((snapshot) => forgotten.has(snapshot));
    return same.filter(isAwaited).map(({ set }) => set);
  }
}

/** For the history. */
export function listing({ set, snapshot }: Entry): Listed {
  return { set: set.id, snapshot };
}

/** Undefined for what is no file, or cannot be read. */
function readable(path: string): Buffer | undefined {
  try {
    return bytesAt(path);
  } catch {
    return undefined;
  }
}
