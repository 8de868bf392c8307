import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../base/errors.ts';

/** ms in which a write has come to its end */
const writeTime = 60_000;

/**
 * Writes a file that only this user can read, and renames it into place, so that a crash leaves nothing half written.
 * @throws as `node:fs` does, and leaves what was there
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  // Not ending in .lock, so that no CLI reads it; exclusive, so that nobody can have put a link there.
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    fs.writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    whileHeld(() => fs.renameSync(temporary, path));
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Tries for some 100 ms what Windows refuses while another program, such as a virus scanner, looks at the file. */
export function whileHeld(work: () => void, platform: NodeJS.Platform = process.platform): void {
  for (let tries = platform === 'win32' ? 6 : 1; ; tries--) {
    try {
      return work();
    } catch (error) {
      if (tries === 1 || !/^(EPERM|EACCES|EBUSY)$/.test(errorCode(error) ?? '')) {
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** Whether this is what `replaceFile` has left behind, as its process was killed in the middle of it. */
export function isLeftTemporary(name: string, { mtimeMs }: fs.Stats): boolean {
  return /^\.[0-9a-f]{16}\.tmp$/.test(name) && Date.now() - mtimeMs > writeTime;
}
