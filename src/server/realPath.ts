import { realpathSync } from 'node:fs';

/** Where links lead; what is not there, or cannot be read, as it is. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
