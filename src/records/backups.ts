import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { isOwnFolder, namesIn, openRecord } from './recordFile.ts';

/** Bytes of one file that are read, in all its versions. */
const maxBytes = 64 * 1024 * 1024;

/**
 * What the CLI has kept of a file for its own undo, the last first. As 2.1.330 was seen to do it, that is every byte of
 * what it was before the first edit in each turn; 2.0.77 may already have written over it, so that only what is like the
 * text from before is of use.
 * @param path as the CLI names it
 */
export function* backupsOf(configDir: string, sessionId: string, path: string): Generator<Buffer> {
  const history = join(configDir, 'file-history');
  const folder = join(history, sessionId);
  const prefix = `${createHash('sha256').update(path).digest('hex').slice(0, 16)}@v`;
  const versions = (isOwnFolder(history) ? namesIn(folder) : []).flatMap((name) =>
    name.startsWith(prefix) ? Number(name.slice(prefix.length)) : [],
  );
  let bytes = 0;
  for (const version of versions.sort((a, b) => b - a)) {
    const opened = openRecord(join(folder, `${prefix}${version}`));
    if (!('fd' in opened)) {
      continue;
    }
    try {
      bytes += opened.stat.size;
      if (bytes <= maxBytes) {
        yield fs.readFileSync(opened.fd);
      }
    } finally {
      fs.closeSync(opened.fd);
    }
  }
}
