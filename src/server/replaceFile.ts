import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a file that only this user can read, and renames it into place, so that a crash leaves nothing half written.
 * @throws as `node:fs` does, and leaves what was there
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  // Not ending in .lock, so that no CLI reads it; exclusive, so that nobody can have put a link there.
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    fs.writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    fs.renameSync(temporary, path);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}
