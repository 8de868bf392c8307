import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, errorMessage, UserError } from '../base/errors.ts';

/**
 * Makes the folder of the lock files, whose tokens open editors to whoever can read them: a real folder, ours, for
 * nobody else.
 * @throws UserError when that cannot be
 */
export function ensurePrivateDir(dir: string): void {
  make(dir);
  const stat = fs.lstatSync(dir);
  if (stat.isSymbolicLink() || !stat.isDirectory()) {
    throw new UserError(
      `${dir} is ${stat.isSymbolicLink() ? 'a symbolic link' : 'not a folder'}, so the lock file would land elsewhere.`,
      'Replace it by a real folder, then restart the bridge.',
    );
  }
  const uid = process.getuid?.();
  if (uid === undefined) {
    return; // Windows: the profile folder's access list is already private.
  }
  if (stat.uid !== uid) {
    throw new UserError(
      `${dir} belongs to another user.`,
      'Make it yours (chown) or set CLAUDE_CONFIG_DIR, then restart the bridge.',
    );
  }
  const parent = fs.statSync(dirname(dir));
  const isSticky = (parent.mode & 0o1000) !== 0;
  if ((parent.uid !== uid && parent.uid !== 0) || ((parent.mode & 0o002) !== 0 && !isSticky)) {
    throw new UserError(
      `Another user may rename what is in ${dirname(dir)}, and so put a folder of theirs in the place of ${dir}.`,
      'Make that folder yours and writable by you alone (chown, chmod o-w), then restart the bridge.',
    );
  }
  if (!isPrivate(stat)) {
    try {
      fs.chmodSync(dir, 0o700);
    } catch {
      // A file system without modes, whose folders look open to all whoever may read them.
    }
  }
}

/** Whether a file or folder is this user's, and closed to everybody else. */
export function isPrivate({ uid, mode }: fs.Stats): boolean {
  const user = process.getuid?.();
  return user === undefined || (uid === user && (mode & 0o077) === 0);
}

function make(dir: string): void {
  try {
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UserError(
      `The folder ${dir}, in which the CLI looks for editors, could not be made: ${errorMessage(error)}.`,
      remedy(error),
      { cause: error },
    );
  }
}

/** What the user can do about a file that cannot be written. */
export function remedy(error: unknown): string {
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free some disk space, then restart the bridge.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'Make the folder writable or set CLAUDE_CONFIG_DIR to one that is, then restart the bridge.';
    default:
      return 'Mend that, then restart the bridge.';
  }
}

/** Another user could tell us anything. Root can do that anyway. */
export function isForeign({ uid }: fs.Stats): boolean {
  const user = process.getuid?.();
  return user !== undefined && uid !== user && uid !== 0;
}
