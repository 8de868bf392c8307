import { type ChangeReview, readable, type SavedText, type Saving } from './changeReview.ts';
import type { Snapshot } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import { isSame } from './comparison.ts';
import { isUtf8Of, takeIn } from './ownLines.ts';
import { savedForAgents } from '../editor/savedForAgents.ts';

/** What the user saves is no change of an agent's: the texts from before have it, too, where it touches none of those. */
export class SavedLines {
  /** Lines that agents have written, as far as a save of the user's has told them. */
  private readonly ofAgents = new WeakMap<Snapshot, ReadonlySet<string>>();

  /** @param saved by the editor @returns the snapshots that have all of that */
  take(
    review: Pick<ChangeReview, 'now' | 'replace' | 'textBefore'>,
    sets: Pick<ChangeSets, 'ofPath'>,
    path: string,
    { from, until }: Saving = { from: undefined, until: 0 },
    saved?: SavedText,
  ): ReadonlySet<Snapshot> {
    const whole = new Set<Snapshot>();
    const isUsers = saved && !savedForAgents.has(saved);
    const to = from && isUsers && until > review.now() ? readable(path) : undefined;
    if (!from || !to || !saved || !isUtf8Of(to, saved.getText())) {
      return whole; // an agent may have written it since
    }
    const save = { from, to };
    const found = sets.ofPath(path).flatMap((entry) => {
      const was = review.textBefore(entry.snapshot);
      const taken = was && takeIn(was.bytes, save, this.ofAgents.get(entry.snapshot));
      return was ? [{ entry, old: was.bytes, taken }] : [];
    });
    // If one then all, so that their order stays.
    const isOther = found.some(({ old, taken }) => taken && !isSame(old, taken.bytes));
    for (const { entry, old, taken } of found) {
      const replaced = isOther ? review.replace(entry, taken?.bytes ?? old) : entry.snapshot;
      if (replaced && taken) {
        this.ofAgents.set(replaced, taken.ofAgents);
        if (taken.isWhole) {
          whole.add(replaced);
        }
      }
    }
    return whole;
  }
}
