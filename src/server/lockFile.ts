import * as fs from 'node:fs';
import { join } from 'node:path';
import { errorMessage, UserError } from '../base/errors.ts';
import type { LockFileContent } from '../protocol/ide.ts';
import { ensurePrivateDir, isPrivate, remedy } from './privateDir.ts';
import { replaceFile } from './replaceFile.ts';
import { readSmallFile } from './smallFile.ts';

/**
 * The file by which the CLI finds us: `<config dir>/ide/<port>.lock`.
 *
 * Everything here is synchronous: the files are tiny, a lock must be gone before the process is, and two
 * updates cannot overtake each other.
 */
export interface LockFile {
  readonly path: string;
  update(content: LockFileContent): void;
  /** Writes the file again if it is gone, says something else or is open to others. @returns whether it was. */
  restore(): boolean;
  /** Removes the file if it is still the one that we wrote last. Never throws. */
  remove(): void;
}

/** @throws UserError when the folder or the file cannot be made, or would not be private to this user. */
export function createLockFile(dir: string, port: number, content: LockFileContent): LockFile {
  const path = join(dir, `${port}.lock`);
  let text = JSON.stringify(content);
  write(dir, path, text);
  /** Not so on a Windows drive in WSL, for instance: there, nothing that we write would ever look private. */
  const hasModes = isPrivate(fs.lstatSync(path));
  return {
    path,
    update(next) {
      text = JSON.stringify(next);
      write(dir, path, text);
    },
    restore() {
      const found = readSmallFile(path);
      const isOpen = hasModes && !(found && isPrivate(found.stat) && isPrivate(fs.lstatSync(dir)));
      if (found?.text === text && !isOpen) {
        return false;
      }
      write(dir, path, text);
      return true;
    },
    remove() {
      try {
        if (readSmallFile(path)?.text === text) {
          fs.unlinkSync(path);
        }
      } catch {
        // Somebody else was faster.
      }
    },
  };
}

function write(dir: string, path: string, text: string): void {
  ensurePrivateDir(dir);
  try {
    replaceFile(path, text);
  } catch (error) {
    const [reason] = errorMessage(error).split(', ', 1); // without the temporary name: the same each time
    throw new UserError(
      `The lock file in ${dir}, by which the CLI finds this editor, could not be written: ${reason}.`,
      remedy(error),
      { cause: error },
    );
  }
}
