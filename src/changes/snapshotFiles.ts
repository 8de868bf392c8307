import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { isNotFound } from '../base/errors.ts';
import { replaceFile } from '../server/replaceFile.ts';
import { type ChangeSet, savedChangeSet } from './changeSet.ts';
import { type History, historyEntry } from './history.ts';

const indexName = 'index.json';

const savedIndex = z.object({
  version: z.literal(1),
  changeSets: z.array(savedChangeSet),
  history: z._default(z.array(historyEntry), []),
});
type SavedIndex = z.infer<typeof savedIndex>;

/**
 * The snapshots on disk: one file per content, named by its hash, and an index. Only this user can read them, and
 * each is renamed into place.
 */
export class SnapshotFiles {
  /** @param dir absolute; made when first written to */
  constructor(private readonly dir: string) {}

  /** @returns the hash by which `read` finds the bytes. @throws when they cannot be written */
  write(bytes: Buffer): string {
    const hash = hashOf(bytes);
    if (!fs.existsSync(join(this.dir, hash))) {
      this.put(hash, bytes);
    }
    return hash;
  }

  /** The bytes, or undefined when they are gone or no longer what was written. @throws when they cannot be read now */
  read(hash: string): Buffer | undefined {
    try {
      const bytes = fs.readFileSync(join(this.dir, hash));
      return hashOf(bytes) === hash ? bytes : undefined;
    } catch (error) {
      if (isNotFound(error)) {
        return undefined;
      }
      throw error;
    }
  }

  /** @throws when there is an index that cannot be understood */
  loadIndex(): Pick<SavedIndex, 'changeSets' | 'history'> {
    let text: string;
    try {
      text = fs.readFileSync(join(this.dir, indexName), 'utf8');
    } catch (error) {
      if (isNotFound(error)) {
        return { changeSets: [], history: [] };
      }
      throw error;
    }
    return savedIndex.parse(JSON.parse(text));
  }

  /** Puts what cannot be understood out of the way of what comes. @returns where it is then. @throws when it stays */
  setAside(): string {
    fs.rmSync(this.aside, { recursive: true, force: true });
    fs.renameSync(this.dir, this.aside);
    return this.aside;
  }

  /** Deletes it when it was last written before that time, in ms since the epoch; if it cannot, the next time. */
  dropAside(oldest: number): void {
    try {
      if (fs.statSync(this.aside).mtimeMs < oldest) {
        fs.rmSync(this.aside, { recursive: true });
      }
    } catch {
      // There is none, mostly.
    }
  }

  private get aside(): string {
    return `${this.dir}.unreadable`;
  }

  /** Also deletes the contents that nothing needs any more. @throws when it cannot be written */
  saveIndex(sets: readonly ChangeSet[], { entries, hashes }: History): void {
    const changeSets = sets.map((set) => set.save());
    const index: SavedIndex = { version: 1, changeSets, history: [...entries] };
    this.put(indexName, Buffer.from(JSON.stringify(index)));
    const needed = new Set([
      ...hashes,
      ...changeSets.flatMap(({ snapshots, turns = [] }) =>
        [...snapshots, ...turns.flatMap(({ files }) => Object.values(files))].map(({ hash }) => hash),
      ),
    ]);
    for (const name of fs.readdirSync(this.dir)) {
      if (name !== indexName && !needed.has(name)) {
        fs.rmSync(join(this.dir, name), { force: true });
      }
    }
  }

  private put(name: string, bytes: Buffer): void {
    fs.mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    replaceFile(join(this.dir, name), bytes);
  }
}

/** By which the bytes are found. */
export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
