import { setImmediate } from 'node:timers/promises';
import { patchOf, type PatchedFile } from '../base/patch.ts';

/** Gives a file, named as in the patch. @throws when it cannot be read */
export type ReadFile = () => Promise<PatchedFile>;

/**
 * One patch of many files, which are read and compared one after the other: the window goes on in between.
 * @param files by the names under which they are told of
 * @param time ms of comparing, for all together
 * @returns also the names of those that cannot be read, are no text, or would take too long
 */
export async function patchOfAll(
  files: ReadonlyMap<string, ReadFile>,
  time = 10_000,
): Promise<{ patch: string; leftOut: string[] }> {
  const leftOut: string[] = [];
  let patch = '';
  let left = time;
  for (const [name, read] of files) {
    await setImmediate();
    const file = await read().catch(() => undefined);
    const start = performance.now();
    const part = file && left > 0 ? patchOf(file, left) : undefined;
    left -= performance.now() - start;
    if (part === undefined) {
      leftOut.push(name);
    } else {
      patch += part;
    }
  }
  return { patch, leftOut };
}
