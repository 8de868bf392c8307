import { basename, dirname } from 'node:path';
import type { PastSession } from '../records/pastSessions.ts';
import { isOfFolder, isSlugOf } from '../records/transcriptPlace.ts';
import { realPath } from '../server/realPath.ts';

/** The one of the window's folders, absolute, in which it goes on. The CLI runs where links lead. */
export function heldIn(
  { cwd, path }: Pick<PastSession, 'cwd' | 'path'>,
  folders: readonly string[],
): string | undefined {
  const all = folders.map((opened) => ({ opened, real: realPath(opened) }));
  const place = basename(dirname(path));
  // As of a folder that was moved, with what the CLI has written about it.
  const isMoved = cwd === undefined || !isSlugOf(place, cwd);
  const found = isMoved ? all.find(({ real }) => isSlugOf(place, real)) : undefined;
  const [around] = all
    .filter(({ real }) => cwd !== undefined && isOfFolder(real, cwd))
    .sort((a, b) => b.real.length - a.real.length);
  const exact = all.find(({ real }) => real === cwd); // the others may differ in case
  return (found ?? exact ?? around)?.opened;
}
