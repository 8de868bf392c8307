import * as fs from 'node:fs';

/** Far more than a lock file with many folders has, or settings. */
const maxBytes = 256 * 1024;

/**
 * Reads a small regular file; undefined for everything else. Waits for nothing: a pipe in the place of a lock file would
 * block the whole extension host, a device would fill its memory.
 * @param followLinks by default none is followed; honest users have links to their settings
 * @param limit in bytes; a larger one is not read
 */
export function readSmallFile(
  path: string,
  { followLinks = false, limit = maxBytes } = {},
): { text: string; stat: fs.Stats } | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  try {
    if (followLinks && !fs.statSync(path).isFile()) {
      return undefined; // there are devices that act when they are opened
    }
    // Windows has neither of the last two.
    const file = fs.openSync(path, O_RDONLY | (followLinks ? 0 : (O_NOFOLLOW ?? 0)) | (O_NONBLOCK ?? 0));
    try {
      const stat = fs.fstatSync(file);
      return stat.isFile() && stat.size <= limit ? { text: fs.readFileSync(file, 'utf8'), stat } : undefined;
    } finally {
      fs.closeSync(file);
    }
  } catch {
    return undefined;
  }
}
