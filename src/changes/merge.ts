import { mergeLines } from '../base/lineMerge.ts';
import { isSame, linesOf } from './comparison.ts';

export interface Merged {
  readonly bytes: Buffer;
  /** Nothing had to be left out. */
  readonly isWhole: boolean;
}

/** As `mergeLines`, of lines with their line ends: a change of those counts. */
export function merge(base: Buffer, ours: Buffer, theirs: Buffer): Merged | undefined {
  const merged = mergeLines(linesOf(base), linesOf(ours), linesOf(theirs));
  return merged && { bytes: Buffer.from(merged.lines.join(''), 'latin1'), isWhole: merged.leftOut === 0 };
}

/** A step that a file has made: by an accepted proposal, for instance. Undefined: no file. */
export interface FileStep {
  readonly from: Buffer | undefined;
  readonly to: Buffer | undefined;
}

/**
 * What a file is to be compared with, so that this step no longer shows: `before` with the changes of the step that are
 * in the file now, and stand apart from all others.
 * @param before what it was compared with until then @param now what it is, after the step and whatever came to it
 */
export function rebase(
  before: Buffer | undefined,
  { from, to }: FileStep,
  now: Buffer | undefined,
): Buffer | undefined {
  if (isSame(before, from) && isSame(to, now)) {
    return now;
  }
  if (!before || !from || !to || !now) {
    return before; // a file that comes or goes does so as a whole
  }
  const without = merge(to, now, from);
  return (without && merge(without.bytes, before, now)?.bytes) ?? before;
}
