import { type ChangeSet, firstTaken } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';

/** What other sessions have changed since then, as far as they have announced it. @param since in ms since the epoch */
export function pathsOfOthers(sets: ChangeSets, set: ChangeSet, since: number): Set<string> {
  const others = sets.all.filter((other) => other !== set);
  return new Set(
    others.flatMap(({ snapshots, turns }) => [
      ...[...snapshots.values()].filter((snapshot) => firstTaken(snapshot) >= since).map(({ path }) => path),
      // A turn goes on until the next one.
      ...turns
        .filter((_, index) => (turns[index + 1]?.begun ?? Infinity) >= since)
        .flatMap(({ edited }) => edited),
    ]),
  );
}
