import { diffLines, type Hunk } from './lineDiff.ts';

export interface MergedLines {
  readonly lines: string[];
  /** Changes that had to be left out. */
  readonly leftOut: number;
}

/** Lines that come to a place, and those that go from there. */
export interface LineChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What leads from the base to either side. */
export interface Sides {
  readonly ours: readonly LineChange[];
  readonly theirs: readonly LineChange[];
  /** Of theirs those that touch none of ours. */
  readonly apart: readonly LineChange[];
}

export type HunkLines = Hunk & LineChange;

interface Lines {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Makes in `ours` the changes that lead from `base` to `theirs`, but for those that touch lines which `ours` has changed
 * itself. Made alike on both sides, they are there already.
 * @param choose of those that stand apart, all by default @param own what leads from the base to `ours`, where that is known
 * @returns undefined where too much differs to tell the changes
 */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
  choose: (sides: Sides) => readonly LineChange[] = ({ apart }) => apart,
  own: readonly HunkLines[] | undefined = lineChanges(base, ours),
): MergedLines | undefined {
  const others = lineChanges(base, theirs);
  if (!own || !others) {
    return undefined;
  }
  const touched = new Map(
    others.map((change) => [change, own.filter((each) => touches(before(each), before(change)))]),
  );
  const apart = others.filter((change) => touched.get(change)?.length === 0);
  const chosen = new Set(choose({ ours: own, theirs: others, apart }));
  const made = apart.filter((change) => chosen.has(change));
  const isThere = (change: HunkLines) => {
    const [first, second] = touched.get(change) ?? [];
    return first !== undefined && !second && isAlike(first, change);
  };
  const parts: (readonly string[])[] = [];
  let taken = 0; // of our lines
  let shift = 0; // from lines of base to ours
  let next = 0; // of our hunks
  for (const { beforeStart, beforeEnd, added } of made) {
    for (let each = own[next]; each && each.beforeEnd <= beforeStart; each = own[++next]) {
      shift = each.nowEnd - each.beforeEnd;
    }
    parts.push(ours.slice(taken, beforeStart + shift), added);
    taken = beforeEnd + shift;
  }
  parts.push(ours.slice(taken));
  return { lines: parts.flat(), leftOut: others.length - made.length - others.filter(isThere).length };
}

/** In rising order; undefined where too much differs to tell them. */
export function lineChanges(before: readonly string[], now: readonly string[]): HunkLines[] | undefined {
  const { hunks, isExact } = diffLines(before, now);
  return isExact
    ? hunks.map((hunk) => ({
        ...hunk,
        added: now.slice(hunk.nowStart, hunk.nowEnd),
        removed: before.slice(hunk.beforeStart, hunk.beforeEnd),
      }))
    : undefined;
}

function before({ beforeStart, beforeEnd }: Hunk): Lines {
  return { start: beforeStart, end: beforeEnd };
}

/** Of lines that are put in where others go or come, nobody knows which are first. */
function touches(a: Lines, b: Lines): boolean {
  const isInsertion = a.start === a.end || b.start === b.end;
  return isInsertion ? a.start <= b.end && b.start <= a.end : a.start < b.end && b.start < a.end;
}

function isAlike(a: HunkLines, b: HunkLines): boolean {
  const isSamePlace = a.beforeStart === b.beforeStart && a.beforeEnd === b.beforeEnd;
  return (
    isSamePlace &&
    a.added.length === b.added.length &&
    a.added.every((line, index) => line === b.added[index])
  );
}
