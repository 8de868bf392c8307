import type { ChangeReview } from './changeReview.ts';
import { type ChangeSet, firstTaken, type Snapshot } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import { isSame } from './comparison.ts';
import { LineNumbers } from './lineNumbers.ts';
import { isUtf8Of, type Save, type TakenIn, takeIn } from './ownLines.ts';
import { savedForAgents } from '../editor/savedForAgents.ts';

/** A text document. */
export interface SavedText {
  getText(): string;
}

/**
 * What the user saves is no change of an agent's: the texts from before have it, too, where it touches none of those.
 * @param saved by the editor @param earlier what that was since its save began: the user may have typed on since it was written
 * @param numbers of lines, as they are known of the save before @returns what has become of those texts, where that can be told
 */
export function takeSavedLines(
  review: Pick<ChangeReview, 'replace' | 'textsBefore'>,
  sets: ChangeSets,
  path: string,
  save: Save,
  saved: SavedText,
  earlier: Iterable<string> = [],
  numbers = new LineNumbers(),
): ReadonlyMap<Snapshot, TakenIn> {
  const taken = new Map<Snapshot, TakenIn>();
  if (savedForAgents.has(saved) || !isWritten(save, saved, earlier)) {
    return taken;
  }
  noteBase(sets, path, save);
  const found = review.textsBefore(path).map(({ entry, bytes }) => ({
    entry,
    old: bytes,
    now: takeIn(bytes, save, entry.set.undoneOf(entry.snapshot), numbers),
  }));
  // If one then all, so that their order stays.
  const isOther = found.some(({ old, now }) => now && !isSame(old, now.bytes));
  for (const { entry, old, now } of found) {
    const snapshot = isOther ? review.replace(entry, now ? now.bytes : old) : entry.snapshot;
    if (snapshot && now) {
      taken.set(snapshot, now);
      entry.set.undone.set(firstTaken(snapshot), now.undone);
    }
    forgetUndone(sets, entry.set);
  }
  return taken;
}

function isWritten({ to }: Save, saved: SavedText, earlier: Iterable<string>): boolean {
  if (isUtf8Of(to, saved.getText())) {
    return true;
  }
  for (const text of earlier) {
    if (isUtf8Of(to, text)) {
      return true;
    }
  }
  return false;
}

/** What comes from now on is the user's, also once what they have kept or reverted waits again. */
function noteBase(sets: ChangeSets, path: string, { from, to }: Save): void {
  const takenOff = sets.history.takenOff(path).filter(({ base, snapshot }) => !base && !snapshot.isSavedOver);
  const [first] = sets.ofPath(path);
  if (takenOff.length > 0 && !isSame(from, to)) {
    const base = first?.snapshot ?? sets.keepText(from);
    const at = first?.snapshot.takenAt ?? sets.tick();
    takenOff.forEach((each) => base && (each.base = { hash: base.hash, size: base.size, at }));
    sets.saveNow();
  }
}

/** Of files that cannot be listed any more. */
function forgetUndone(sets: ChangeSets, { id, snapshots, undone }: ChangeSet): void {
  const listed = sets.history.files.flatMap((file) => file.listed).filter(({ set }) => set === id);
  const all = [...snapshots.values(), ...listed.map(({ snapshot }) => snapshot)];
  const needed = new Set(all.map(firstTaken));
  for (const [since, { added, removed }] of undone) {
    if (!needed.has(since) || added.length + removed.length === 0) {
      undone.delete(since);
    }
  }
}
