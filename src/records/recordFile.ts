import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, errorMessage, isNotFound } from '../base/errors.ts';
import { isForeign } from '../server/privateDir.ts';

/** A regular file that is open for reading. Whoever gets one closes it. */
export interface OpenFile {
  readonly fd: number;
  readonly stat: fs.Stats;
}

/** What a file could not be opened for; undefined: there is none. */
export interface Unreadable {
  readonly reason: string | undefined;
}

/**
 * Opens a file that others write, without waiting for anything: a pipe in its place would block the extension host, a
 * link would lead elsewhere.
 */
export function openRecord(path: string): OpenFile | Unreadable {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  let fd: number | undefined;
  try {
    if (fs.lstatSync(dirname(path)).isSymbolicLink()) {
      return { reason: `${dirname(path)} is a link` };
    }
    fd = fs.openSync(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)); // Windows has neither of them
    const stat = fs.fstatSync(fd);
    if (stat.isFile() && !isForeign(stat)) {
      return { fd, stat };
    }
    fs.closeSync(fd);
    return { reason: `${path} is ${stat.isFile() ? "another user's" : 'not a regular file'}` };
  } catch (error) {
    if (fd !== undefined) {
      fs.closeSync(fd);
    }
    return { reason: isNotFound(error) ? undefined : whyNot(path, error) };
  }
}

/** Files can be open and unreadable all the same: on a network drive that has gone. */
export function whyNot(path: string, error: unknown): string {
  const code = errorCode(error) ?? errorMessage(error);
  return code === 'ELOOP' ? `${path} is a link` : `${path} cannot be read (${code})`;
}

/** What is there, a link itself; undefined also where nobody may look, or the drive has gone. */
export function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A real folder of this user, not a link to one. */
export function isOwnFolder(path: string): boolean {
  const stat = statOf(path);
  return stat?.isDirectory() === true && !isForeign(stat);
}

/** The names in a folder; none if it is not a real folder of this user. */
export function namesIn(folder: string): string[] {
  try {
    return isOwnFolder(folder) ? fs.readdirSync(folder) : [];
  } catch {
    return [];
  }
}

/** Fills the buffer from that place in the file, or as much of it as there is. @returns bytes read */
export function readAt(fd: number, buffer: Buffer, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const read = fs.readSync(fd, buffer, filled, buffer.length - filled, position + filled);
    if (read === 0) {
      break;
    }
    filled += read;
  }
  return filled;
}

/** What it begins with, of at most so many bytes. */
export function headAt({ fd, stat }: OpenFile, bytes: number): Buffer {
  const buffer = Buffer.alloc(Math.min(stat.size, bytes));
  return buffer.subarray(0, readAt(fd, buffer, 0));
}

/** Lets everything else have its turn between two chunks. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
