import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';

/**
 * Where the text from before an edit comes from: read when the CLI announced its edit, so it is exact; or, for edits
 * by shell commands, which nobody announces, what git has at HEAD or what the editor saved last.
 */
const source = z.enum(['announced', 'git', 'saved']);
export type SnapshotSource = z.infer<typeof source>;

export const snapshot = z.object({
  /** Absolute. */
  path: z.string(),
  /** SHA-256 of the bytes; absent: there was no file. */
  hash: z.optional(z.string()),
  /** Where the path led, through whatever links. */
  real: z.optional(z.string()),
  /** In bytes. */
  size: z.number(),
  /** Permissions, as of `chmod`; absent where they are not known. */
  mode: z.optional(z.number()),
  source,
  /** ms since the epoch, and no other snapshot's: tells which of two was first also where the clock was set. */
  takenAt: z.number(),
  /** The user has saved the file since. */
  isSavedOver: z.optional(z.boolean()),
});
type SavedSnapshot = z.infer<typeof snapshot>;
/** One file as it was before a session first changed it. */
export type Snapshot = Readonly<Omit<SavedSnapshot, 'isSavedOver'>> & Pick<SavedSnapshot, 'isSavedOver'>;

export const savedChangeSet = z.object({
  id: z.string(),
  label: z.string(),
  pid: z.optional(z.number()),
  startedAt: z.number(),
  snapshots: z.array(snapshot),
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

  private constructor(
    readonly id: string,
    public label: string,
    /** Of the CLI, which outlives a reload of the window; undefined in a window that was opened after it had ended. */
    readonly pid: number | undefined,
    /** ms since the epoch. */
    readonly startedAt: number,
  ) {}

  static of({ pid, label }: Author): ChangeSet {
    return new ChangeSet(randomUUID(), label, pid, Date.now());
  }

  /** @param oldest ms since the epoch: what was taken then or before is left out */
  static load(
    saved: z.infer<typeof savedChangeSet>,
    oldest: number,
    isAlive: (pid: number) => boolean,
  ): ChangeSet {
    const pid = saved.pid !== undefined && isAlive(saved.pid) ? saved.pid : undefined;
    const set = new ChangeSet(saved.id, saved.label, pid, saved.startedAt);
    const kept = saved.snapshots.filter(({ takenAt }) => takenAt > oldest);
    for (const snapshot of kept.sort((a, b) => a.takenAt - b.takenAt)) {
      set.snapshots.set(snapshot.path, snapshot);
    }
    return set;
  }

  save(): z.infer<typeof savedChangeSet> {
    const { id, label, pid, startedAt } = this;
    return {
      id,
      label,
      ...(pid === undefined ? {} : { pid }),
      startedAt,
      snapshots: [...this.snapshots.values()],
    };
  }
}

/** A file that a session has changed. */
export interface Entry {
  readonly set: ChangeSet;
  readonly snapshot: Snapshot;
}
