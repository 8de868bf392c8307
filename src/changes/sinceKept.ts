import { type ChangeSets, bytesAt } from './changeSets.ts';
import { isSame } from './comparison.ts';
import type { HistoryEntry, HistoryFile, Listed } from './history.ts';
import { takeIn } from './ownLines.ts';

/**
 * What is to be listed again, as a keep is undone: what the user has saved since then is no change of an agent's, unless it touches
 * what is, and is named then.
 */
export function listedAgain(sets: ChangeSets, entry: HistoryEntry, file: HistoryFile): Listed[] {
  return file.listed.map((listed) => {
    const { snapshot, base } = listed;
    if (!base) {
      return listed; // nothing was saved
    }
    const { bytes, isWhole } = textAgain(sets, entry, file.path, listed);
    const state = isSame(bytes, sets.before(snapshot)) ? snapshot : sets.keepText(bytes);
    const again = { ...snapshot, ...(state && { hash: state.hash, size: state.size }) };
    return { ...listed, snapshot: isWhole && state ? again : { ...again, isSavedOver: true } };
  });
}

/** The text from before, with what was saved since. */
function textAgain(
  sets: ChangeSets,
  entry: HistoryEntry,
  path: string,
  { set, snapshot, base }: Listed,
): { bytes: Buffer | undefined; isWhole: boolean } {
  const old = sets.before(snapshot);
  const from = base && sets.textOf(path, base);
  const to = base && textSince(sets, entry, path, base.hash);
  const undone = sets.all.find(({ id }) => id === set)?.undoneOf(snapshot);
  const taken = from && to && takeIn(old, { from, to }, undone);
  return taken ?? { bytes: old, isWhole: isSame(from, to) };
}

/** What the file is compared with by now, without what was kept later; else what it is. */
function textSince(
  sets: ChangeSets,
  entry: HistoryEntry,
  path: string,
  base: string | undefined,
): Buffer | undefined {
  const { entries } = sets.history;
  for (const later of entries.slice(entries.indexOf(entry) + 1)) {
    const [first] = later.files.find((file) => later.kind === 'kept' && file.path === path)?.listed ?? [];
    if (first && first.base?.hash !== base) {
      return textAgain(sets, later, path, first).bytes;
    }
  }
  const [first] = sets.ofPath(path);
  return first ? sets.before(first.snapshot) : bytesAt(path);
}
