import { diffLines, type Hunk } from './lineDiff.ts';

export interface MergedLines {
  readonly lines: string[];
  /** Changes that had to be left out. */
  readonly leftOut: number;
}

interface Lines {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Makes in `ours` the changes that lead from `base` to `theirs`, but for those that touch lines which `ours` has changed
 * itself. Made alike on both sides, they are there already.
 * @param isLeftOut of what a change adds, where it touches none of those @returns undefined where too much differs to
 *   tell the changes
 */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
  isLeftOut: (added: readonly string[]) => boolean = () => false,
): MergedLines | undefined {
  const own = diffLines(base, ours);
  const other = diffLines(base, theirs);
  if (!own.isExact || !other.isExact) {
    return undefined;
  }
  const parts: (readonly string[])[] = [];
  let leftOut = 0;
  let taken = 0; // of our lines
  let shift = 0; // from lines of base to ours
  let next = 0; // of our hunks
  for (const hunk of other.hunks) {
    const touching = own.hunks.filter((each) => touches(before(each), before(hunk)));
    if (touching.length > 0) {
      const isThere = touching.length === 1 && touching.every((each) => isAlike(each, hunk, ours, theirs));
      leftOut += isThere ? 0 : 1;
      continue;
    }
    const added = theirs.slice(hunk.nowStart, hunk.nowEnd);
    if (isLeftOut(added)) {
      leftOut++;
      continue;
    }
    for (let each = own.hunks[next]; each && each.beforeEnd <= hunk.beforeStart; each = own.hunks[++next]) {
      shift = each.nowEnd - each.beforeEnd;
    }
    parts.push(ours.slice(taken, hunk.beforeStart + shift), added);
    taken = hunk.beforeEnd + shift;
  }
  parts.push(ours.slice(taken));
  return { lines: parts.flat(), leftOut };
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
  const isSamePlace = a.beforeStart === b.beforeStart && a.beforeEnd === b.beforeEnd;
  const [linesA, linesB] = [linesOfA.slice(a.nowStart, a.nowEnd), linesOfB.slice(b.nowStart, b.nowEnd)];
  return (
    isSamePlace && linesA.length === linesB.length && linesA.every((line, index) => line === linesB[index])
  );
}
