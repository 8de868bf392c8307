import { basename } from 'node:path';
import { errorMessage } from '../base/errors.ts';
import { type ChangeReview, listing } from './changeReview.ts';
import { type ChangeSet, type Entry, firstTaken, type TurnStart, type TurnState } from './changeSet.ts';
import { type ChangeSets, realPathOf } from './changeSets.ts';
import type { Editor } from './editor.ts';
import type { HistoryFile } from './history.ts';
import { merge } from './merge.ts';
import { pathsOfOthers } from './pathsOfOthers.ts';
import { writeBytes } from './revertFile.ts';

/** A file that a session has changed since a turn of it began. */
export interface Goal {
  readonly path: string;
  /** What it was when the turn began; undefined: that was not kept. */
  readonly to: TurnState | undefined;
  /** Labels of other sessions that have changed it, too: what they did since then goes with it. */
  readonly others: readonly string[];
}

/** What the file was as the turn began, as far as that was kept. */
export function stateAt({ turns }: ChangeSet, { begun }: TurnStart, path: string): TurnState | undefined {
  // Where the turn itself knows nothing of it, it was first changed in the next one that does.
  return turns.find((each) => each.begun >= begun && each.files[path])?.files[path];
}

/**
 * Of the files that the session has changed in that turn and since, those that were kept or accepted included; but not those
 * that the user has reverted. Of its shell's edits since the last prompt nobody knows the files: those of its list are
 * meant which nobody else is known to have changed. The one that was changed last comes first.
 */
export function goalsOf(sets: ChangeSets, set: ChangeSet, start: TurnStart): Goal[] {
  const { begun } = start;
  const edited = new Set(set.turns.flatMap((each) => (each.begun >= begun ? each.edited : [])));
  const ofOthers = pathsOfOthers(sets, set, begun);
  for (const path of set.snapshots.keys()) {
    const state = stateAt(set, start, path);
    if (state && !state.isSavedOver && !ofOthers.has(path)) {
      edited.add(path);
    }
  }
  const isReverted = (path: string) => !set.snapshots.has(path) && wasReverted(sets, set, path);
  return [...edited]
    .filter((path) => !isReverted(path))
    .reverse()
    .map((path) => {
      const others = sets.ofPath(path).flatMap((each) => (each.set === set ? [] : [each.set.label]));
      return { path, to: stateAt(set, start, path), others };
    });
}

/** Whether the last decision about the file was to revert all that session has changed in it. */
function wasReverted({ history }: ChangeSets, { id }: ChangeSet, path: string): boolean {
  const isMeant = (file: HistoryFile) => file.path === path && file.listed.some(({ set }) => set === id);
  const last = history.entries.findLast(({ files }) => files.some(isMeant));
  const file = last?.kind === 'reverted' ? last.files.find(isMeant) : undefined;
  return file !== undefined && !file.isToPrompt && !file.isPart;
}

/** What has become of it. */
export interface WentBack {
  /** Those that are as they were when the turn began, and were not. */
  readonly files: readonly Goal[];
  /** What could not be, for the user. */
  readonly problems: readonly string[];
}

/** What is to be done for a goal. */
interface Step {
  readonly goal: Goal;
  /** For the history. */
  readonly file: HistoryFile;
  /** What is listed no longer, but for what its session may be about to write. */
  readonly gone: readonly Entry[];
}

/** Goes back to before a prompt of a session: byte for byte, and so that it can be undone. */
export class GoBack {
  constructor(
    private readonly sets: ChangeSets,
    private readonly review: ChangeReview,
    private readonly editor: Editor,
  ) {}

  /** @param decision the id of the entry in the history */
  to(set: ChangeSet, start: TurnStart, decision: string): Promise<WentBack> {
    return this.sets.ofTurn.run(() => this.go(set, start, decision));
  }

  private async go(set: ChangeSet, start: TurnStart, decision: string): Promise<WentBack> {
    const problems: string[] = [];
    if (start.undoneBy !== undefined) {
      return { files: [], problems };
    }
    this.review.takeAccepted();
    const turns = set.turns.filter(({ begun }) => begun >= start.begun); // not one that begins meanwhile
    const tell = ({ path }: Goal, error: unknown) =>
      problems.push(`${basename(path)}: ${errorMessage(error)}`);
    const steps = goalsOf(this.sets, set, start).flatMap((goal) => {
      try {
        return this.prepare(set, start, goal) ?? [];
      } catch (error) {
        tell(goal, error);
        return [];
      }
    });
    // All at once, as the index is written for it.
    const planned = steps.map(({ file }) => file);
    this.sets.decided(decision, 'reverted', planned, set);
    const done: Step[] = [];
    for (const step of steps) {
      try {
        done.push(await this.take(set, start, step, decision));
      } catch (error) {
        tell(step.goal, error);
      }
    }
    const all = done.flatMap((step) => step.gone);
    const gone = new Set(all.map(({ snapshot }) => snapshot));
    const awaited = all.filter(({ snapshot }) => this.review.isAwaited(snapshot));
    this.sets.forget((snapshot) => gone.has(snapshot));
    awaited.forEach((entry) => this.review.retake(entry.set, entry.snapshot.path));
    if (done.length > 0 && problems.length === 0) {
      turns.forEach((each) => (each.undoneBy ??= decision));
      this.sets.touchTurns();
    }
    return { files: done.map(({ goal }) => goal), problems };
  }

  /** @returns undefined where there is nothing to do @throws what stands against it, for the user */
  private prepare(set: ChangeSet, start: TurnStart, goal: Goal): Step | undefined {
    const { path, to } = goal;
    if (!to) {
      throw new Error('what it was then was not kept.');
    }
    const entries = this.sets.ofPath(path);
    const since = sinceWhen(start, to);
    const gone = entries.filter(({ snapshot }) => firstTaken(snapshot) >= since);
    // With the file as it was then, an entry from before that is nobody's any more.
    const isOver = ({ snapshot }: Entry) => snapshot.hash === to.hash;
    const listed = entries
      .filter(
        (entry) =>
          entry.set === set || gone.includes(entry) || isComparedSince(entry, since) || isOver(entry),
      )
      .map(listing);
    const file = { path, real: realPathOf(path), listed, isToPrompt: true };
    if (this.sets.isState(path, to)) {
      // What it was when the session first changed it in this turn is perhaps the only copy of something.
      return gone.every(({ snapshot }) => this.sets.isState(path, snapshot))
        ? undefined
        : { goal, file, gone };
    }
    if (this.editor.unsaved(path)) {
      throw new Error('it has unsaved changes. Save or discard them first.');
    }
    if (to.real !== undefined && file.real !== to.real) {
      throw new Error('a link leads to another file now.');
    }
    if (this.review.isWriting(path)) {
      throw new Error('it is being written just now.');
    }
    const from = this.sets.stateOf(path);
    if (!from) {
      throw new Error('it could not be undone, as it is too large to be kept, or no file.');
    }
    return { goal, file: { ...file, step: { from, to: { ...to } } }, gone };
  }

  /** @returns what was done @throws when it was not */
  private async take(set: ChangeSet, start: TurnStart, planned: Step, decision: string): Promise<Step> {
    const { goal, file } = planned;
    const { path, step } = file;
    if (!step) {
      return planned;
    }
    const forget = () => this.sets.forgetHistory((other) => other === file);
    if (!this.sets.isState(path, step.from) || this.editor.unsaved(path)) {
      forget(); // somebody has written it meanwhile: perhaps this, through a link
      const again = this.prepare(set, start, goal);
      if (!again) {
        return { goal, file, gone: [] };
      }
      this.sets.decided(decision, 'reverted', [again.file], set);
      return this.take(set, start, again, decision);
    }
    const from = this.sets.textOf(path, step.from);
    const to = this.sets.textOf(path, step.to);
    try {
      await this.review.write(path, () => writeBytes(this.editor, path, to, step.to.mode));
    } catch (error) {
      // Where a part was written, what was there is in the history alone.
      if (this.sets.isState(path, step.from)) {
        forget();
      }
      throw error;
    }
    this.takeFromBefore(sinceWhen(start, step.to), path, { from, to });
    return planned;
  }

  /**
   * What was kept, accepted or saved since then, in a file that was changed before by whatever session, is no longer there, and
   * shall not be missed.
   */
  private takeFromBefore(
    since: number,
    path: string,
    { from, to }: Record<'from' | 'to', Buffer | undefined>,
  ): void {
    if (!from || !to) {
      return;
    }
    for (const { entry, bytes } of this.review.textsBefore(path)) {
      if (isComparedSince(entry, since)) {
        // Also where it is the same, so that their order stays.
        this.review.replace(entry, bytes && (merge(from, bytes, to)?.bytes ?? bytes));
      }
    }
  }
}

/** From when on what was done to the file goes: what others did before the session first changed it in that turn stays. */
function sinceWhen({ begun }: TurnStart, { at = begun }: TurnState): number {
  return Math.max(begun, at);
}

/** Whether it is from before that, and compared since then with another text than at first. */
function isComparedSince({ snapshot }: Entry, since: number): boolean {
  return firstTaken(snapshot) < since && snapshot.takenAt >= since;
}
