import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isLeftTemporary } from './replaceFile.ts';

/** Deletes what `replaceFile` has left in these folders where its process was killed. Never throws. */
export function removeLeftTemporaries(...dirs: readonly string[]): void {
  for (const dir of dirs) {
    try {
      for (const name of readdirSync(dir)) {
        const path = join(dir, name);
        if (isLeftTemporary(name, statSync(path))) {
          rmSync(path, { force: true });
        }
      }
    } catch {
      // There is no folder yet, or another window was faster: then the next time.
    }
  }
}
