import * as fs from 'node:fs';
import { uptime } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { isNotFound } from '../base/errors.ts';
import { isAlive } from '../server/processes.ts';
import { readSmallFile } from '../server/smallFile.ts';
import { maxBytes, type TypedText } from './typedTexts.ts';

/** ms after which a file is deleted that a host has begun to write, and never ended. */
const maxAge = 14 * 24 * 60 * 60 * 1000;

/** As it is on disk: one that an older version has written has no id, and is the only one of its proposal. */
const savedText = z.object({
  id: z.optional(z.string()),
  uri: z.string(),
  language: z.string(),
  text: z.string(),
  /** The extension host that wrote it. */
  host: z.object({ pid: z.int().check(z.positive()), id: z.string() }),
});

/** `isLeft` when the extension host that has kept it is gone. */
export type LeftText = TypedText & { readonly hostId: string; readonly isLeft: boolean };

/**
 * Those in `dir`, and of those beside it, which windows on other workspaces have kept, what belongs here, too: a window to which
 * a folder is added, or whose workspace is saved elsewhere, goes on as another one, at times without its tabs. What of that is
 * ours is moved into `dir`. Deletes what is no text of ours.
 * @param dir see `TypedTexts`
 * @throws when a folder cannot be read or written
 */
export function leftTexts(
  dir: string,
  isHere: (left: LeftText) => boolean,
  isOurs: (left: LeftText) => boolean,
): LeftText[] {
  const others = filesIn(dirname(dir)).filter(({ path }) => path !== dir);
  const elsewhere = others.flatMap(({ path }) => textsIn(path)).filter(({ left }) => isHere(left));
  for (const { path } of elsewhere.filter(({ left }) => isOurs(left))) {
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
    fs.renameSync(path, join(dir, basename(path)));
  }
  return [...textsIn(dir), ...elsewhere.filter(({ left }) => !isOurs(left))].map(({ left }) => left);
}

function textsIn(dir: string): { path: string; left: LeftText }[] {
  return filesIn(dir).flatMap(({ path, time }) => {
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
    return [{ path, left: { ...typed, hostId: host.id, isLeft: isGone(host.pid, time) } }];
  });
}

function filesIn(dir: string): { path: string; time: number }[] {
  try {
    return fs.readdirSync(dir).flatMap((name) => {
      const path = join(dir, name);
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

function parseTyped(text: string) {
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
