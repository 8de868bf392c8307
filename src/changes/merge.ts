import { diffLines, type Hunk } from '../base/lineDiff.ts';
import { isSame, linesOf } from './comparison.ts';

export interface Merged {
  readonly bytes: Buffer;
  /** Nothing had to be left out. */
  readonly isWhole: boolean;
}

interface Lines {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Makes in `ours` the changes that lead from `base` to `theirs`, but for those that touch lines which `ours` has changed
 * itself. Made alike on both sides, they are there already.
 * @returns undefined where too much differs to tell the changes
 */
export function merge(base: Buffer, ours: Buffer, theirs: Buffer): Merged | undefined {
  const [baseLines, ourLines, theirLines] = [base, ours, theirs].map(linesOf) as [
    string[],
    string[],
    string[],
  ];
  const own = diffLines(baseLines, ourLines);
  const other = diffLines(baseLines, theirLines);
  if (!own.isExact || !other.isExact) {
    return undefined;
  }
  const merged: string[] = [];
  let isWhole = true;
  let taken = 0; // of our lines
  let shift = 0; // from lines of base to ours
  let next = 0; // of our hunks
  for (const hunk of other.hunks) {
    const touching = own.hunks.filter((each) => touches(before(each), before(hunk)));
    if (touching.length > 0) {
      isWhole &&=
        touching.length === 1 && touching.every((each) => isAlike(each, hunk, ourLines, theirLines));
      continue;
    }
    for (let each = own.hunks[next]; each && each.beforeEnd <= hunk.beforeStart; each = own.hunks[++next]) {
      shift = each.nowEnd - each.beforeEnd;
    }
    merged.push(...ourLines.slice(taken, hunk.beforeStart + shift));
    merged.push(...theirLines.slice(hunk.nowStart, hunk.nowEnd));
    taken = hunk.beforeEnd + shift;
  }
  merged.push(...ourLines.slice(taken));
  return { bytes: Buffer.from(merged.join(''), 'latin1'), isWhole };
}

function before({ beforeStart, beforeEnd }: Hunk): Lines {
  return { start: beforeStart, end: beforeEnd };
}

/** Of lines that are put in where others go or come, nobody knows which are first. */
function touches(a: Lines, b: Lines): boolean {
  const isInsertion = a.start === a.end || b.start === b.end;
  return isInsertion ? a.start <= b.end && b.start <= a.end : a.start < b.end && b.start < a.end;
}

function isAlike(a: Hunk, b: Hunk, linesOfA: readonly string[], linesOfB: readonly string[]): boolean {
  const now = (hunk: Hunk, lines: readonly string[]) => lines.slice(hunk.nowStart, hunk.nowEnd).join('');
  return (
    a.beforeStart === b.beforeStart && a.beforeEnd === b.beforeEnd && now(a, linesOfA) === now(b, linesOfB)
  );
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
