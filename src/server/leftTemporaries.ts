import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** As `replaceFile` names them. Not by way of `sweep.ts`, which is loaded at the start. */
const temporaryName = /^\.[0-9a-f]{16}\.tmp$/;
/** ms */
const temporaryAge = 60_000;

/** Deletes what `replaceFile` has left in these folders where its process was killed. Never throws. */
export function removeLeftTemporaries(...dirs: readonly string[]): void {
  for (const dir of dirs) {
    try {
      for (const name of readdirSync(dir).filter((each) => temporaryName.test(each))) {
        const path = join(dir, name);
        if (Date.now() - statSync(path).mtimeMs > temporaryAge) {
          rmSync(path, { force: true });
        }
      }
    } catch {
      // There is no folder yet, or another window was faster: then the next time.
    }
  }
}
