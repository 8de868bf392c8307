import { basename } from 'node:path';
import { errorMessage } from '../base/errors.ts';
import { Queue } from '../base/queue.ts';
import type { ChangeReview, Restored } from './changeReview.ts';
import { type ChangeSet, firstTaken, type Snapshot } from './changeSet.ts';
import { bytesAt, type ChangeSets, realPathOf } from './changeSets.ts';
import { isSame } from './comparison.ts';
import type { Editor } from './editor.ts';
import type { HistoryEntry, HistoryFile, Listed } from './history.ts';
import { listedAgain } from './listedAgain.ts';
import { merge } from './merge.ts';
import { together } from './ownLines.ts';
import { writeBytes } from './revertFile.ts';

/** Takes back what the user has decided about agents' changes, and never what they have written since. */
export class UndoDecision {
  /** So that none is undone twice. */
  private readonly queue = new Queue();

  constructor(
    private readonly sets: ChangeSets,
    private readonly review: ChangeReview,
    private readonly editor: Editor,
  ) {}

  /**
   * Each file by itself: where one cannot be, it stays in the history.
   * @returns what went wrong, for the user @throws when it is not in the history
   */
  undo(id: string): Promise<string[]> {
    return this.queue.run(() => this.undoEntry(id));
  }

  private async undoEntry(id: string): Promise<string[]> {
    const entry = this.sets.history.find(id);
    if (!entry) {
      throw new Error('It is no longer in the history, or was undone already.');
    }
    const problems: string[] = [];
    const undone = new Set<HistoryFile>();
    const forget = () => this.sets.forgetHistory((file) => undone.has(file));
    // The last first: two of them may be one file, by a link or of two sessions.
    for (const file of [...entry.files].reverse()) {
      try {
        await this.undoFile(entry, file);
        undone.add(file);
        if (file.step) {
          forget(); // at once, since it was written; the others together, so that the index is written once
        }
      } catch (error) {
        problems.push(`${basename(file.path)}: ${errorMessage(error)}`);
      }
    }
    forget();
    if (problems.length === 0) {
      this.restoreTurns(id);
    }
    return problems;
  }

  private async undoFile(entry: HistoryEntry, file: HistoryFile): Promise<void> {
    const { kind } = entry;
    const { path, step, listed } = file;
    if (this.review.isWriting(path)) {
      throw new Error('it is being written just now.'); // by the revert of many files of which this is one
    }
    const again = kind === 'accepted' ? () => listed : listedAgain(this.sets, entry, file);
    const isExact = await this.putBack(file);
    if (step && !isExact) {
      const [from, to] = [this.sets.textOf(path, step.to), this.sets.textOf(path, step.from)];
      // What was listed before a revert has it in its list; what came since has not.
      const since = kind === 'reverted' ? Math.max(...listed.map(({ snapshot }) => snapshot.takenAt)) : 0;
      this.review.leaveOut(path, { from, to }, { since });
    }
    if (kind !== 'accepted') {
      this.restore(path, step && isExact ? listed : again());
    } else if (isExact) {
      // Those that were kept since then do not wait any more.
      const waiting = new Set(this.sets.ofPath(path).map(({ set }) => set.id));
      this.restore(
        path,
        listed.filter(({ set }) => waiting.has(set)),
      );
    }
  }

  private restore(path: string, listed: readonly Listed[]): void {
    this.review.didRestore(
      path,
      listed.flatMap((each) => restored(this.sets, each) ?? []),
    );
  }

  /** What that decision has gone back from is there again. */
  private restoreTurns(decision: string): void {
    for (const start of this.sets.all.flatMap(({ turns }) => turns)) {
      if (start.undoneBy === decision) {
        delete start.undoneBy;
        this.sets.touch();
      }
    }
  }

  /** @returns whether the file is now what it was. @throws when that would take away what was written since */
  private async putBack({ path, real, step }: HistoryFile): Promise<boolean> {
    if (!step || this.sets.isState(path, step.from)) {
      return true;
    }
    if (real !== undefined && realPathOf(path) !== real) {
      throw new Error('a link leads to another file now.');
    }
    if (this.editor.unsaved(path)) {
      throw new Error('it has unsaved changes. Save or discard them first.');
    }
    const [base, theirs] = [this.sets.textOf(path, step.to), this.sets.textOf(path, step.from)];
    const now = bytesAt(path);
    const isExact = isSame(now, base);
    const bytes = isExact ? theirs : base && now && theirs && mergedWhole(base, now, theirs);
    if (!isExact && !bytes) {
      throw new Error('it has changed since.');
    }
    await this.review.write(path, () =>
      writeBytes(this.editor, path, bytes, isExact ? step.from.mode : undefined),
    );
    return isExact;
  }
}

/** Undefined where the two have changed the same lines. */
function mergedWhole(base: Buffer, ours: Buffer, theirs: Buffer): Buffer | undefined {
  const merged = merge(base, ours, theirs);
  return merged?.isWhole ? merged.bytes : undefined;
}

/**
 * Lists a file again as it was listed. Where it is listed anew, what it was before the older edit counts for both.
 * Written at once, with what has led to it. @returns what is listed then
 */
function restored(sets: ChangeSets, { set: id, snapshot }: Listed): Restored | undefined {
  const set = sets.all.find((each) => each.id === id);
  const before = set?.snapshots.get(snapshot.path);
  if (!set || (before && isOfEarlierEdit(before, snapshot))) {
    return before && { before, now: before };
  }
  if (before) {
    joinUndone(set, snapshot, before);
  }
  const now = { ...snapshot, ...(before?.isSavedOver && { isSavedOver: true }) };
  set.put(now, false);
  sets.touch();
  return { before, now };
}

/** A save makes a snapshot newer, but not the edit that it was taken for. */
function isOfEarlierEdit(one: Snapshot, other: Snapshot): boolean {
  return (firstTaken(one) - firstTaken(other) || one.takenAt - other.takenAt) <= 0;
}

/** The older one is listed again, in the place of the newer: what was undone of either is. */
function joinUndone(set: ChangeSet, older: Snapshot, newer: Snapshot): void {
  const all = [set.undoneOf(older), set.undoneOf(newer)].flatMap((each) => each ?? []);
  if (firstTaken(older) !== firstTaken(newer) && all.length > 0) {
    set.undone.set(firstTaken(older), together(all));
  }
}
