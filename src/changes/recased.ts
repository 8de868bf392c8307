import { readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { differInCase } from '../server/isAt.ts';

/** The names in a folder, as they are written there. */
export type NamesIn = (folder: string) => Promise<readonly string[]>;

/**
 * Whether the file has the second name by now, and no longer the first, from which it differs in case alone: it, or a folder
 * around it, was renamed so. Where case makes no difference the first one still leads to it. Both absolute.
 */
export async function isRecased(from: string, to: string, namesIn: NamesIn = readdir): Promise<boolean> {
  if (!differInCase(from, to)) {
    return false;
  }
  const [old, now] = [from.split(sep), to.split(sep)];
  const first = old.findIndex((name, index) => name !== now[index]);
  const names = await namesIn(old.slice(0, first).join(sep) + sep).catch((): string[] => []);
  return names.includes(now[first] ?? '') && !names.includes(old[first] ?? '');
}
