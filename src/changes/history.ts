import * as z from 'zod/mini';
import { bytesOf, fileState, type FileState, snapshot } from './changeSet.ts';

const historyFile = z.object({
  /** Absolute. */
  path: z.string(),
  /** Where the path led, through whatever links. */
  real: z.optional(z.string()),
  /** What waited for review until then, by the id of its change set. */
  listed: z.array(
    z.object({
      set: z.string(),
      snapshot,
      /** Of what was kept or reverted: what the file was compared with, or else was, before the user first saved it since. */
      base: z.optional(
        z.object({
          ...fileState.shape,
          /** When that was taken, or noted, in ms since the epoch: what is listed of an earlier time has come back since. */
          at: z.optional(z.number()),
        }),
      ),
    }),
  ),
  /** What the decision did to the file; absent where it left it alone. */
  step: z.optional(z.object({ from: fileState, to: fileState })),
  /** It is about one change of several, perhaps. */
  isPart: z.optional(z.boolean()),
  /** It went back to before a prompt. */
  isToPrompt: z.optional(z.boolean()),
});
export type HistoryFile = Readonly<z.infer<typeof historyFile>>;

/** A file that a change set listed. */
export type Listed = HistoryFile['listed'][number];

export const historyEntry = z.object({
  id: z.string(),
  kind: z.enum(['kept', 'reverted', 'accepted']),
  /** ms since the epoch. */
  at: z.number(),
  /** Ids of the change sets under which it is shown. */
  sets: z.array(z.string()),
  files: z.array(historyFile),
});
/** What the user has decided, in one go, about what agents did to files. */
export type HistoryEntry = z.infer<typeof historyEntry>;

/** Beyond these the oldest go, whatever room they take. */
const maxEntries = 100;

/** What the user has decided and can undo, oldest first. Each entry goes with its last file. */
export class History {
  private readonly all: HistoryEntry[] = [];

  get entries(): readonly HistoryEntry[] {
    return this.all;
  }

  get files(): HistoryFile[] {
    return this.all.flatMap(({ files }) => files);
  }

  /**
   * What counts for the limits: each text once, in bytes. Not of the newest decision, whose undo is the only way back from
   * what was just done.
   */
  get taken(): { files: number; bytes: number } {
    const files = this.all.slice(0, -1).flatMap((entry) => entry.files);
    return { files: files.length, bytes: bytesOf(statesOf(files)) };
  }

  /** Of all texts that it needs. */
  get hashes(): (string | undefined)[] {
    return statesOf(this.files).map(({ hash }) => hash);
  }

  find(id: string): HistoryEntry | undefined {
    return this.all.find((entry) => entry.id === id);
  }

  /** Newest first. @param set the id of a change set */
  ofSet(set: string): HistoryEntry[] {
    return this.all.filter(({ sets }) => sets.includes(set)).reverse();
  }

  /** Whether something can be listed under it again. @param set the id of a change set */
  needs(set: string): boolean {
    return this.all.some(
      ({ sets, files }) =>
        sets.includes(set) || files.some(({ listed }) => listed.some((each) => each.set === set)),
    );
  }

  load(saved: readonly HistoryEntry[]): void {
    this.all.unshift(...saved);
  }

  /** @param id of an entry that has files already, or of a new one */
  add(id: string, kind: HistoryEntry['kind'], sets: readonly string[], files: readonly HistoryFile[]): void {
    const entry = this.find(id) ?? { id, kind, at: Date.now(), sets: [], files: [] };
    entry.sets = [...new Set([...entry.sets, ...sets])];
    entry.files = [...entry.files, ...files];
    if (!this.all.includes(entry)) {
      this.all.push(entry);
      this.all.splice(0, this.all.length - maxEntries);
    }
  }

  /** @returns whether there were any */
  remove(isMeant: (file: HistoryFile, entry: HistoryEntry) => boolean): boolean {
    const count = this.files.length;
    for (const entry of [...this.all]) {
      entry.files = entry.files.filter((file) => !isMeant(file, entry));
      if (entry.files.length === 0) {
        this.all.splice(this.all.indexOf(entry), 1);
      }
    }
    return this.files.length < count;
  }

  /** But not the newest. @returns whether there was one */
  removeOldest(): boolean {
    return this.all.length > 1 && this.all.shift() !== undefined;
  }

  /** Files have another path now. @param move undefined where it has the one that it had @returns whether one has */
  move(move: (path: string) => { path: string; real: string } | undefined): boolean {
    let hasMoved = false;
    for (const entry of this.all) {
      entry.files = entry.files.map((file) => {
        const moved = move(file.path);
        hasMoved ||= moved !== undefined;
        const listed = file.listed.map((each) => ({ ...each, snapshot: { ...each.snapshot, ...moved } }));
        return moved ? { ...file, ...moved, listed } : file;
      });
    }
    return hasMoved;
  }

  /** What was kept or reverted of the file, and may wait again. */
  takenOff(path: string): Listed[] {
    return this.all.flatMap(({ kind, files }) =>
      kind === 'accepted' ? [] : files.flatMap((file) => (file.path === path ? file.listed : [])),
    );
  }

  /**
   * The user has saved the file: a revert names it, once it is listed again; unless it is known what they have saved.
   * @returns whether that was not known
   */
  markSaved(path: string): boolean {
    const unmarked = this.files
      .flatMap(({ listed }) => listed)
      .filter(({ snapshot, base }) => snapshot.path === path && !base && !snapshot.isSavedOver);
    unmarked.forEach(({ snapshot }) => (snapshot.isSavedOver = true));
    return unmarked.length > 0;
  }
}

function statesOf(files: readonly HistoryFile[]): FileState[] {
  return files.flatMap((file) => [
    ...file.listed.flatMap(({ snapshot, base }) => [snapshot, ...(base ? [base] : [])]),
    ...(file.step ? [file.step.from, file.step.to] : []),
  ]);
}
