import { existsSync, lstatSync, type Stats } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { sep } from 'node:path';
import { isNotFound } from '../base/errors.ts';
import { isIn } from '../server/isAt.ts';
import { clockSlack } from './shellWindows.ts';

/** Beyond these, the rest is taken as unknown: this is kept in memory. */
export const maxFiles = 500;
/** Of files that others may have written. */
const maxDoubts = 10_000;
const maxFileBytes = 1024 * 1024;
const maxTotalBytes = 32 * 1024 * 1024;

type NotedFile =
  /** What it was. */
  | { readonly kind: 'text'; readonly bytes: Buffer }
  /** Too large, ignored, no file but a folder, or perhaps written by somebody else since; there before, if that is known. */
  | { readonly kind: 'unknown'; readonly wasThere: boolean | undefined }
  /** The user has taken it away, or git has: what comes there is not new. */
  | { readonly kind: 'absent' };

/** What has gone since it was noted, and perhaps only has another name now. */
export interface Gone {
  /** Nobody else has these texts. By path. */
  readonly lost: ReadonlyMap<string, Buffer>;
  /** These are known to whoever keeps them. */
  readonly kept: readonly Buffer[];
  /** What was in some of it nobody knows. */
  readonly isUnknown: boolean;
}

/**
 * The files that may be other than the last commit has them without an agent's doing, by path: what differed from it,
 * what git ignores or was told to overlook, and what the user has written or taken away since.
 */
export class NotedFiles {
  private readonly files = new Map<string, NotedFile>();
  private doubts = 0;

  /** @param since ms since the epoch, before the first of them was looked at */
  private constructor(readonly since: number) {}

  static async of(since: number, differing: Iterable<string>, unseen: Iterable<string>): Promise<NotedFiles> {
    const noted = new NotedFiles(since);
    let left = maxTotalBytes;
    for (const path of differing) {
      const file = noted.files.size < maxFiles ? await lookAt(path, Math.min(maxFileBytes, left)) : unknown;
      left -= file.kind === 'text' ? file.bytes.length : 0;
      noted.files.set(path, file);
    }
    for (const path of unseen) {
      noted.files.set(path, unknown);
    }
    return noted;
  }

  /** Whether what came at that moment, in ms since the epoch, was there when the files were looked at. */
  isLaterThan(time: number): boolean {
    return time < this.since - clockSlack;
  }

  has(path: string): boolean {
    return this.files.has(path);
  }

  get paths(): Iterable<string> {
    return this.files.keys();
  }

  /** Whether a file was there; undefined: it was as the last commit has it, or was not. */
  wasThere(path: string): boolean | undefined {
    const file = this.files.get(path);
    return file?.kind === 'unknown' ? file.wasThere : file && file.kind === 'text';
  }

  /** Whether it is noted, and nobody has written it since. */
  isAsNoted(path: string): boolean {
    const found = this.files.has(path) ? lstatOf(path) : undefined;
    return found !== undefined && this.isLaterThan(found.ctimeMs);
  }

  /** Undefined also where nothing is noted. */
  textOf(path: string): Buffer | undefined {
    const file = this.files.get(path);
    return file?.kind === 'text' ? file.bytes : undefined;
  }

  /** As it is now, which is the user's doing; a folder with all that is in it. */
  async take(path: string): Promise<void> {
    const file = await lookAt(path, maxFileBytes);
    [...this.files.keys()]
      .filter((each) => each.startsWith(path + sep))
      .forEach((each) => this.files.delete(each));
    this.files.set(path, file);
  }

  /**
   * Somebody else may have written it, or taken it away, unless that was seen when it was noted.
   * @returns whether it can be remembered
   */
  doubt(path: string): boolean {
    const found = lstatOf(path);
    const isSeen = found
      ? found.isDirectory() || this.isLaterThan(found.ctimeMs)
      : this.files.get(path)?.kind === 'absent';
    if (!isSeen && !this.isAround(path)) {
      this.files.set(path, found ? { kind: 'unknown', wasThere: this.wasThere(path) } : absent);
      this.doubts++;
    }
    return this.doubts <= maxDoubts;
  }

  /**
   * Tells of each unknown one once: whatever took its place came together with that.
   * @param isKept whether somebody else knows what the file was
   */
  gone(isKept: (path: string) => boolean): Gone {
    const lost = new Map<string, Buffer>();
    const kept: Buffer[] = [];
    let isUnknown = false;
    for (const [path, file] of this.files) {
      if (file.kind === 'absent' || existsSync(path)) {
        continue;
      }
      if (file.kind === 'text') {
        if (isKept(path)) {
          kept.push(file.bytes);
        } else {
          lost.set(path, file.bytes);
        }
      } else {
        isUnknown ||= !isKept(path);
        this.files.set(path, absent);
      }
    }
    return { lost, kept, isUnknown };
  }

  /**
   * Whether the file was there before, under another name: neither to move it nor to copy it with its times makes these
   * newer. To write into one that was moved leaves the time at which it was made; some file systems know none.
   * @param isNew nothing was at this place before
   */
  async isOlder(path: string, isNew: boolean): Promise<boolean> {
    const { mtimeMs, birthtimeMs } = await lstat(path);
    return mtimeMs < this.since || (isNew && birthtimeMs > 0 && birthtimeMs < this.since);
  }

  /** The files there of which the text is known. */
  in(folder: string): string[] {
    return [...this.files.keys()].filter((path) => path.startsWith(folder + sep) && this.textOf(path));
  }

  /** Whether one of the folders around it is noted. */
  isAround(path: string): boolean {
    return isIn(this.files, path);
  }
}

const unknown: NotedFile = { kind: 'unknown', wasThere: true };
const absent: NotedFile = { kind: 'absent' };

async function lookAt(path: string, maxBytes: number): Promise<NotedFile> {
  try {
    const found = await lstat(path);
    return found.isFile() && found.size <= maxBytes ? { kind: 'text', bytes: await readFile(path) } : unknown;
  } catch (error) {
    return isNotFound(error) ? absent : unknown;
  }
}

/** Of a link itself; undefined also where it cannot be looked at. */
export function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Undefined for what is larger than can be noted, or not a file. */
export async function contentOf(path: string): Promise<Buffer | undefined> {
  const file = await lookAt(path, maxFileBytes);
  return file.kind === 'text' ? file.bytes : undefined;
}
