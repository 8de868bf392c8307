import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { randomUUID } from 'node:crypto';
import type { Turn } from '../records/events.ts';
import { turnMark } from '../records/turnMark.ts';
import type { ChangeReview } from './changeReview.ts';
import { describe } from './changes.ts';
import {
  type Author,
  type ChangeSet,
  firstTaken,
  type Snapshot,
  type TurnStart,
  type TurnState,
} from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import { pathsOfOthers } from './pathsOfOthers.ts';

/** Of one session, the last count. */
const maxTurns = 20;
/** ms between a prompt on the wire and in the record of the CLI, at most. */
const maxApart = 10_000;

/**
 * Notes what the files that a session has changed are as each of its prompts comes, so that the user can go back to
 * there. What a session first changes later is in its snapshot.
 */
export class TurnStarts implements Disposable {
  /** When the prompt came that each session is at. See `TurnStart.begun`. */
  private readonly prompted = new WeakMap<Author, number>();
  /** Their last prompts, of those without a record. */
  private readonly said = new WeakMap<Author, Pick<Turn, 'id' | 'prompt' | 'begun'>>();
  private readonly store = new DisposableStore();

  /** @param turnOf the turn that a session is at, as its record tells */
  constructor(
    private readonly sets: ChangeSets,
    review: Pick<ChangeReview, 'onDidFindEdit'>,
    private readonly turnOf: (author: Author) => Pick<Turn, 'id' | 'prompt' | 'begun'> | undefined,
    private readonly log: Pick<Logger, 'warn'>,
  ) {
    this.store.add(review.onDidFindEdit(({ author, path }) => this.edits(author, path)));
  }

  dispose(): void {
    this.store.dispose();
  }

  /**
   * The user has prompted this session: what it edits from now on is of another turn.
   * @param prompt where there is no record of it @returns settles when it is noted
   */
  begin(author: Author, prompt?: string): Promise<void> {
    const begun = this.sets.tick();
    this.prompted.set(author, begun);
    if (prompt !== undefined) {
      this.said.set(author, { id: randomUUID(), prompt, begun });
    }
    const set = this.sets.find(author);
    return set ? this.note(set, this.add(set, author, begun)) : Promise.resolve();
  }

  /** Something else is known of its record. */
  told(author: Author): void {
    const turn = this.said.get(author) ?? this.turnOf(author);
    const turns = this.sets.find(author)?.turns ?? [];
    const last = turns.at(-1);
    const isTaken = turns.some(({ mark }) => mark !== undefined && mark.id === turn?.id); // the record may be behind
    if (turn && last && !last.mark && !isTaken && Math.abs(last.begun - turn.begun) < maxApart) {
      last.mark = turnMark(turn);
      this.sets.touch();
    }
  }

  /** Synchronous, as the newest CLI writes without waiting. */
  private edits(author: Author, path: string): void {
    const set = this.sets.find(author);
    const snapshot = set?.snapshots.get(path);
    const start = set && this.current(set, author);
    if (!snapshot || !start) {
      return;
    }
    const isKept = this.keep(start, snapshot);
    if (noteEdited(start, path) || isKept) {
      this.sets.touchTurns();
    }
  }

  /** The turn that the session is at. */
  private current(set: ChangeSet, author: Author): TurnStart | undefined {
    const last = set.turns.at(-1);
    if (last?.undoneBy !== undefined) {
      // It goes on after the user has gone back: that can be gone back from, too.
      const begun = this.sets.tick();
      this.prompted.set(author, begun);
      const start = this.add(set, author, begun);
      start.mark ??= last.mark;
      return start;
    }
    const begun = this.prompted.get(author);
    // That of a session whose window was reloaded goes on with the turn that it was in.
    return begun === undefined || last?.begun === begun ? last : this.add(set, author, begun);
  }

  private add(set: ChangeSet, author: Author, begun: number): TurnStart {
    const { turns } = set;
    // What was gone back from is over with the next prompt.
    const left = turns.filter(({ undoneBy }) => undoneBy === undefined).slice(1 - maxTurns);
    const start: TurnStart = { begun, files: {}, edited: [] };
    turns.splice(0, turns.length, ...left, start);
    this.told(author);
    this.sets.touchTurns();
    return start;
  }

  private note(set: ChangeSet, start: TurnStart): Promise<void> {
    return this.sets.ofTurn.run(async () => {
      const before = set.turns[set.turns.indexOf(start) - 1];
      const ofOthers = pathsOfOthers(this.sets, set, before?.begun ?? 0);
      for (const snapshot of [...set.snapshots.values()]) {
        const { path } = snapshot;
        try {
          const { stamp } = await describe(path);
          const known = before?.files[path];
          const state = known?.stamp === stamp ? { ...known } : undefined;
          this.keep(start, snapshot, () => state ?? this.stateOf(path, stamp));
        } catch (error) {
          this.log.warn(`${path} cannot be gone back to: ${errorMessage(error)}`);
        }
        const [was, is] = [before?.files[path], start.files[path]];
        if (before && was && is && was.hash !== is.hash && !was.isSavedOver && !ofOthers.has(path)) {
          noteEdited(before, path); // by a command, which nobody announces
        }
      }
      if (before?.edited.length === 0 && set.turns.includes(before)) {
        set.turns.splice(set.turns.indexOf(before), 1); // there is nothing to go back from
      }
      this.sets.touchTurns();
    });
  }

  /** @returns whether the file was not kept yet, and is now */
  private keep(
    start: TurnStart,
    snapshot: Snapshot,
    stateOf = (path: string) => this.stateOf(path),
  ): boolean {
    const { path, real } = snapshot;
    if (start.files[path]) {
      return false;
    }
    const state = firstTaken(snapshot) < start.begun ? stateOf(path) : stateBefore(snapshot);
    if (state) {
      start.files[path] = { ...state, ...(real !== undefined && { real }) };
    }
    return state !== undefined;
  }

  private stateOf(path: string, stamp?: string): TurnState | undefined {
    const state = this.sets.stateOf(path);
    return state && stamp !== undefined ? { ...state, stamp } : state;
  }
}

/** @returns whether it was not known to have edited that file */
function noteEdited({ edited }: TurnStart, path: string): boolean {
  const isNew = !edited.includes(path);
  if (isNew) {
    edited.push(path);
  }
  return isNew;
}

function stateBefore(snapshot: Snapshot): TurnState {
  const { hash, size, mode } = snapshot;
  const at = firstTaken(snapshot);
  return { size, at, ...(hash !== undefined && { hash }), ...(mode !== undefined && { mode }) };
}
