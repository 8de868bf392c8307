import { copyFile, lstat, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNotFound } from '../base/errors.ts';

/**
 * Lends a copy of git's index: "git diff" writes the one that it reads, even without optional locks, and so gets in the
 * way of the user's own git, and of whoever takes a new index for a sign of it.
 * @param gitDir of the work tree @param ask is given the path of the copy, which is there until it settles
 */
export async function withIndexCopy<T>(gitDir: string, ask: (index: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'ide-bridge-index-'));
  try {
    const copy = join(dir, 'index');
    await copyIndex(join(gitDir, 'index'), copy);
    await writeFile(`${copy}.lock`, ''); // so that the copy is not written either, nor what a split index shares
    return await ask(copy);
  } finally {
    // On Windows a scanner may look at them: the answer is there all the same.
    await rm(dir, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

async function copyIndex(original: string, copy: string): Promise<void> {
  try {
    // Looked at before: git compares what is as new as its index by content, so the copy may be older, never newer.
    const { mtimeMs } = await lstat(original);
    await copyFile(original, copy);
    const time = Math.floor(mtimeMs / 1_000);
    await utimes(copy, time, time);
  } catch (error) {
    if (!isNotFound(error)) {
      throw error;
    }
    // Nothing is staged or committed there: to git, too, that is an empty index.
  }
}
