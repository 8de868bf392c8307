import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';

/**
 * Where the text from before an edit comes from: read when the CLI announced its edit, so it is exact; or, for edits
 * by shell commands, which nobody announces, what git has at HEAD or what the editor saved last; or, for those that no
 * window watched, what the CLI has written down, or what the file would be without them; `told`: the same for one that is
 * connected and does not announce.
 */
const source = z.enum(['announced', 'git', 'saved', 'recorded', 'told', 'rebuilt']);
export type SnapshotSource = z.infer<typeof source>;

/** What a file was at one moment. */
export const fileState = z.object({
  /** SHA-256 of the bytes; absent: there was no file. */
  hash: z.optional(z.string()),
  /** In bytes. */
  size: z.number(),
  /** Permissions, as of `chmod`; absent where they are not known. */
  mode: z.optional(z.number()),
});
export type FileState = Readonly<z.infer<typeof fileState>>;

/** Of their texts together, each once. */
export function bytesOf(states: readonly FileState[]): number {
  const sizes = new Map(states.map(({ hash, size }) => [hash, size]));
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** See `TurnMark`. */
const turn = z.object({ id: z.string(), prompt: z.string(), begun: z.number() });

/**
 * Lines that agents have put in, or taken out, until the user undid that by hand. With their line ends, in Latin-1, as often as it
 * was; what was undone first comes first.
 */
const undoneLines = z.object({ added: z.array(z.string()), removed: z.array(z.string()) });
export type UndoneLines = z.infer<typeof undoneLines>;

export const snapshot = z.object({
  /** Absolute. */
  path: z.string(),
  /** SHA-256 of the bytes; absent: there was no file. */
  hash: z.optional(z.string()),
  /** Where the path led, through whatever links. */
  real: z.optional(z.string()),
  /** Where it led when it was first taken, if the file was moved since. */
  from: z.optional(z.string()),
  /** In bytes. */
  size: z.number(),
  /** Permissions, as of `chmod`; absent where they are not known. */
  mode: z.optional(z.number()),
  source,
  /** ms since the epoch, and no other snapshot's: tells which of two was first also where the clock was set. */
  takenAt: z.number(),
  /** That of the first one, where this one has replaced it: a diff that is open goes on with this one. */
  firstTakenAt: z.optional(z.number()),
  /** Labels of other sessions, of which one may have made the edit instead: their commands ran at that moment, too. */
  orBy: z.optional(z.array(z.string())),
  /** The user has saved the file since. */
  isSavedOver: z.optional(z.boolean()),
  /** In which the session has changed it, as far as they are known; oldest first. */
  turns: z.optional(z.array(turn)),
  /** Where it waits, while the file is as before, see `BranchSwitches`. */
  away: z.optional(z.enum(['branch', 'stash'])),
});
type SavedSnapshot = z.infer<typeof snapshot>;
/** One file as it was before a session first changed it. */
export type Snapshot = Readonly<Omit<SavedSnapshot, NotedLater>> & Pick<SavedSnapshot, NotedLater>;
type NotedLater = 'isSavedOver' | 'turns' | 'away';

const turnState = z.object({
  ...fileState.shape,
  /** Where the path led, through whatever links. */
  real: z.optional(z.string()),
  /** Of the file on disk, see `describe`. */
  stamp: z.optional(z.string()),
  /** The user has saved the file since. */
  isSavedOver: z.optional(z.boolean()),
  /** When it was that, if not as the turn began: as the session first changed it in that; in ms since the epoch. */
  at: z.optional(z.number()),
});
/** What a file was as a turn began. */
export type TurnState = z.infer<typeof turnState>;

const turnStart = z.object({
  /** When the prompt came, in ms since the epoch, and no snapshot's time. */
  begun: z.number(),
  /** What the record tells of it. */
  mark: z.optional(turn),
  /** By path, of each file that the session had changed by then, or has changed in it; where it could be kept. */
  files: z.record(z.string(), turnState),
  /** Paths that the session has changed in it. */
  edited: z.array(z.string()),
  /** The decision that has gone back to before it, or to before an earlier one. */
  undoneBy: z.optional(z.string()),
});
/** Where a turn of a session began, to which the user can go back. */
export type TurnStart = z.infer<typeof turnStart>;

export const savedChangeSet = z.object({
  id: z.string(),
  label: z.string(),
  pid: z.optional(z.number()),
  startedAt: z.number(),
  conversations: z.optional(z.array(z.string())),
  snapshots: z.array(snapshot),
  turns: z.optional(z.array(turnStart)),
  undone: z.optional(z.array(z.object({ ...undoneLines.shape, since: z.number() }))),
});

/** The session that edits, as far as a change set must know it. */
export interface Author {
  readonly id: number;
  readonly pid: number | undefined;
  readonly label: string;
}

/** What one session changed on disk. */
export class ChangeSet {
  /** By path, oldest first. */
  readonly snapshots = new Map<string, Snapshot>();
  /** Its last turns, oldest first; those in which it has changed nothing are left out. */
  readonly turns: TurnStart[] = [];
  /**
   * What the user has undone by hand of it: done once more, it is the session's again. By when the file was first taken:
   * once for all snapshots that have replaced each other, whether they are listed or in the history.
   */
  readonly undone = new Map<number, UndoneLines>();

  private constructor(
    readonly id: string,
    public label: string,
    /** Of the CLI, which outlives a reload of the window; undefined in a window that was opened after it had ended. */
    public pid: number | undefined,
    /** ms since the epoch. */
    readonly startedAt: number,
    /** Ids of those that it has held with the model, as far as the CLI's records tell. */
    readonly conversations: string[] = [],
  ) {}

  static of({ pid, label }: Pick<Author, 'pid' | 'label'>, startedAt = Date.now()): ChangeSet {
    return new ChangeSet(randomUUID(), label, pid, startedAt);
  }

  /** @param oldest ms since the epoch: what was taken then or before is left out */
  static load(
    saved: z.infer<typeof savedChangeSet>,
    oldest: number,
    isAlive: (pid: number) => boolean,
  ): ChangeSet {
    const pid = saved.pid !== undefined && isAlive(saved.pid) ? saved.pid : undefined;
    const set = new ChangeSet(saved.id, saved.label, pid, saved.startedAt, saved.conversations);
    set.turns.push(...(saved.turns ?? []).filter(({ begun }) => begun > oldest));
    const kept = saved.snapshots.filter(({ takenAt }) => takenAt > oldest);
    for (const snapshot of kept.sort((a, b) => a.takenAt - b.takenAt)) {
      set.snapshots.set(snapshot.path, snapshot);
    }
    for (const { since, ...lines } of saved.undone ?? []) {
      set.undone.set(since, lines);
    }
    return set;
  }

  undoneOf(snapshot: Snapshot): UndoneLines | undefined {
    return this.undone.get(firstTaken(snapshot));
  }

  /** In its place in the order, instead of what was kept of that file. */
  put(snapshot: Snapshot, isNewest: boolean): void {
    const { snapshots } = this;
    snapshots.delete(snapshot.path);
    snapshots.set(snapshot.path, snapshot);
    if (!isNewest) {
      const all = [...snapshots.values()].sort((a, b) => a.takenAt - b.takenAt);
      snapshots.clear();
      all.forEach((each) => snapshots.set(each.path, each));
    }
  }

  save(): z.infer<typeof savedChangeSet> {
    const { id, label, pid, startedAt, conversations, turns } = this;
    const undone = [...this.undone].map(([since, lines]) => ({ since, ...lines }));
    return {
      id,
      label,
      pid,
      startedAt,
      conversations,
      snapshots: [...this.snapshots.values()],
      ...(turns.length > 0 && { turns }),
      ...(undone.length > 0 && { undone }),
    };
  }
}

/** When the first one was taken that this one stands for, in ms since the epoch. */
export function firstTaken({ takenAt, firstTakenAt = takenAt }: Snapshot): number {
  return firstTakenAt;
}

/** Those that can be gone back to before, oldest first. */
export function turnsOf({ turns }: ChangeSet): TurnStart[] {
  return turns.filter(({ undoneBy }) => undoneBy === undefined);
}

/** A file that a session has changed. */
export interface Entry {
  readonly set: ChangeSet;
  readonly snapshot: Snapshot;
}
