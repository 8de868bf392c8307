import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { isNotFound } from '../base/errors.ts';
import { isAlive } from '../server/processes.ts';
import { replaceFile } from '../server/replaceFile.ts';
import { readSmallFile } from '../server/smallFile.ts';

/** Of one file, in bytes: a larger text is not kept. A proposal comes in a message of at most 16 MB. */
const maxBytes = 32 * 1024 * 1024;
/** ms after which a file is deleted that a host has begun to write, and never ended. */
const maxAge = 14 * 24 * 60 * 60 * 1000;

const typedText = z.object({
  id: z.string(),
  uri: z.string(),
  language: z.string(),
  text: z.string(),
  /** The extension host that wrote it. */
  host: z.object({ pid: z.int().check(z.positive()), id: z.string() }),
});

/** As it is on disk: one that an older version has written has none, and is the only one of its proposal. */
const savedText = z.extend(typedText, { id: z.optional(z.string()) });

/** What the user has made of a proposal. `uri` is that of the proposed side; of one `id` the last text is kept. */
export type TypedText = Omit<z.infer<typeof typedText>, 'host'>;

/** The texts on disk, one file per id, which only this user can read: they outlive the extension host. */
export class TypedTexts {
  private readonly host = { pid: process.pid, id: randomUUID() };

  /** @param dir absolute; made when first written to. Other windows may have theirs in it, too */
  constructor(private readonly dir: string) {}

  /** @throws when it cannot be written */
  keep(typed: TypedText): void {
    const content = Buffer.from(JSON.stringify({ ...typed, host: this.host }));
    if (content.length > maxBytes) {
      throw new Error(`${content.length} bytes are too many to be kept.`);
    }
    fs.mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    replaceFile(this.pathOf(typed.id), content);
  }

  /** @throws when it is there and cannot be deleted */
  forget(id: string): void {
    fs.rmSync(this.pathOf(id), { force: true });
  }

  /**
   * What other extension hosts have kept, however long ago: the user may not have opened this workspace since. `isLeft`
   * when they are gone. Deletes what is no text of ours.
   * @throws when the folder cannot be read
   */
  ofOthers(): (TypedText & { isLeft: boolean })[] {
    return this.files().flatMap(({ path, time }) => {
      if (!path.endsWith('.json')) {
        if (Date.now() - time > maxAge) {
          fs.rmSync(path, { force: true });
        }
        return []; // else another window may be writing it just now
      }
      const file = readSmallFile(path, { limit: maxBytes });
      if (!file) {
        return []; // what cannot be read just now may be later
      }
      const read = parseTyped(file.text);
      if (!read) {
        fs.rmSync(path, { force: true });
        return [];
      }
      const { host, ...typed } = read;
      return host.id === this.host.id ? [] : [{ ...typed, isLeft: isGone(host.pid, time) }];
    });
  }

  private files(): { path: string; time: number }[] {
    try {
      return fs.readdirSync(this.dir).flatMap((name) => {
        const path = join(this.dir, name);
        const time = fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
        return time === undefined ? [] : [{ path, time }];
      });
    } catch (error) {
      if (isNotFound(error)) {
        return [];
      }
      throw error;
    }
  }

  private pathOf(id: string): string {
    return join(this.dir, `${createHash('sha256').update(id).digest('hex')}.json`);
  }
}

function parseTyped(text: string): z.infer<typeof typedText> | undefined {
  try {
    const saved = savedText.parse(JSON.parse(text));
    return { ...saved, id: saved.id ?? saved.uri };
  } catch {
    return undefined;
  }
}

/** Also when its number is another process's now: this one, or one that was started after the machine was. */
function isGone(pid: number, time: number): boolean {
  return pid === process.pid || !isAlive(pid) || time < Date.now() - uptime() * 1_000;
}
