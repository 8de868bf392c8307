import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFile } from '../server/replaceFile.ts';

/**
 * Keeps the program for clients of stdio where the next version of this extension finds it again: their configurations
 * name it, and each version has a folder of its own.
 * @param built of this version
 * @param kept where clients find it
 * @throws Error when it cannot be written
 */
export function keepProgram(built: string, kept: string): void {
  const program = readFileSync(built, 'utf8');
  if (programAt(kept) !== program) {
    mkdirSync(dirname(kept), { recursive: true });
    replaceFile(kept, program);
  }
}

/** Undefined where no client was ever told of it. */
export function programAt(kept: string): string | undefined {
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    return undefined;
  }
}
