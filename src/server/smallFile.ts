import * as fs from 'node:fs';

/** Far more than a lock file with many folders has. */
const maxBytes = 256 * 1024;

/**
 * Reads a small regular file; undefined for everything else. Follows no link and waits for nothing: a pipe in the
 * place of a lock file would block the whole extension host, a device would fill its memory.
 * @param limit in bytes; more is not read
 */
export function readSmallFile(path: string, limit = maxBytes): { text: string; stat: fs.Stats } | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  try {
    // Windows has neither of the last two.
    const file = fs.openSync(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
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
