import { readFile, stat } from 'node:fs/promises';
import { isNotFound } from '../base/errors.ts';

/** The bytes of a file; null where there is none, undefined where it cannot be read or is larger than 10 MB. */
export type FileState = Buffer | null | undefined;

const maxFile = 10 * 1024 * 1024;

export async function stateOf(filePath: string): Promise<FileState> {
  try {
    const found = await stat(filePath);
    return found.isFile() && found.size <= maxFile ? await readFile(filePath) : undefined;
  } catch (error) {
    return isNotFound(error) ? null : undefined;
  }
}
