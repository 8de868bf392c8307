import { lineChanges, type LineChange } from '../base/lineMerge.ts';
import type { Snapshot } from './changeSet.ts';
import { type ChangeSets, bytesAt } from './changeSets.ts';
import { isSame, linesOf } from './comparison.ts';
import type { HistoryEntry, HistoryFile, Listed } from './history.ts';
import { takeIn, together } from './ownLines.ts';

/**
 * What is to be listed again, as a keep or a revert is undone: what the user has saved since then is no change of an agent's,
 * unless it touches what is, and is named then.
 * @returns keeps its texts, for what lists them at once: what is written of the file in between would drop them
 */
export function listedAgain(sets: ChangeSets, entry: HistoryEntry, file: HistoryFile): () => Listed[] {
  const texts = file.listed.map((listed) => ({
    listed,
    text: listed.base && textAgain(sets, entry, file, listed), // else nothing was saved
  }));
  return () => texts.map(({ listed, text }) => (text ? withText(sets, listed, text) : listed));
}

function withText(
  sets: ChangeSets,
  listed: Listed,
  { bytes, isWhole }: ReturnType<typeof textAgain>,
): Listed {
  const { snapshot } = listed;
  const state = isSame(bytes, sets.before(snapshot)) ? snapshot : sets.keepText(bytes);
  const again = { ...snapshot, ...(state && { hash: state.hash, size: state.size }) };
  return { ...listed, snapshot: isWhole && state ? again : { ...again, isSavedOver: true } };
}

/** The text from before, with what was saved since. */
function textAgain(
  sets: ChangeSets,
  entry: HistoryEntry,
  file: HistoryFile,
  { set, snapshot, base }: Listed,
): { bytes: Buffer | undefined; isWhole: boolean } {
  const old = sets.before(snapshot);
  const from = base && sets.textOf(file.path, base);
  const to = base && textSince(sets, entry, file.path, base);
  const undone = sets.all.find(({ id }) => id === set)?.undoneOf(snapshot);
  const taken =
    from &&
    to &&
    takeIn(old, { from, to }, together([...(undone ? [undone] : []), ...revertedLines(sets, file)]));
  return taken ?? { bytes: old, isWhole: isSame(from, to) };
}

/**
 * What the file is compared with by now, without what was kept later; else what it is. What is of an earlier time than the base has come
 * back by the undo of another decision, and lacks what was kept between the two: undefined where there is nothing else.
 */
function textSince(
  sets: ChangeSets,
  entry: HistoryEntry,
  path: string,
  { hash, at = 0 }: NonNullable<Listed['base']>,
): Buffer | undefined {
  const { entries } = sets.history;
  const [listed] = sets.ofPath(path);
  const isSince = ({ takenAt }: Snapshot) => at <= takenAt;
  const now = listed && isSince(listed.snapshot) ? listed.snapshot : undefined;
  for (const later of entries.slice(entries.indexOf(entry) + 1)) {
    const file = later.files.find((each) => later.kind === 'kept' && each.path === path);
    const [first] = file?.listed ?? [];
    const isNext = first && isSince(first.snapshot) && !(now && now.takenAt < first.snapshot.takenAt);
    if (file && isNext && first.base?.hash !== hash) {
      return textAgain(sets, later, file, first).bytes;
    }
  }
  return now ? sets.before(now) : listed ? undefined : bytesAt(path);
}

/** What agents did, until a revert: the user who does it once more does not make it theirs. */
function revertedLines(sets: ChangeSets, { path, step }: HistoryFile): readonly LineChange[] {
  const [to, from] = [step && sets.textOf(path, step.to), step && sets.textOf(path, step.from)];
  return (to && from && lineChanges(linesOf(to), linesOf(from))) ?? [];
}
