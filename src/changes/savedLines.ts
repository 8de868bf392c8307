import type { ChangeReview } from './changeReview.ts';
import type { Snapshot } from './changeSet.ts';
import type { Taken } from './changeSets.ts';
import { isSame } from './comparison.ts';
import { isUtf8Of, type Save, takeIn } from './ownLines.ts';
import { savedForAgents } from '../editor/savedForAgents.ts';

/** A text document. */
export interface SavedText {
  getText(): string;
}

/**
 * What the user saves is no change of an agent's: the texts from before have it, too, where it touches none of those.
 * @param saved by the editor @returns what has become of those texts, where that can be told
 */
export function takeSavedLines(
  review: Pick<ChangeReview, 'replace' | 'textsBefore'>,
  path: string,
  save: Save,
  saved: SavedText,
): ReadonlyMap<Snapshot, Taken> {
  const taken = new Map<Snapshot, Taken>();
  if (savedForAgents.has(saved) || !isUtf8Of(save.to, saved.getText())) {
    return taken;
  }
  const found = review.textsBefore(path).map(({ entry, bytes }) => ({
    entry,
    old: bytes,
    now: takeIn(bytes, save, entry.set.undoneOf(entry.snapshot)),
  }));
  // If one then all, so that their order stays.
  const isOther = found.some(({ old, now }) => now && !isSame(old, now.bytes));
  for (const { entry, old, now } of found) {
    const snapshot = isOther ? review.replace(entry, now ? now.bytes : old) : entry.snapshot;
    if (snapshot && now) {
      taken.set(snapshot, now);
    }
  }
  return taken;
}
