import { diffLines, type Hunk } from './lineDiff.ts';

export interface MergedLines<T = string> {
  readonly lines: T[];
  /** Changes that had to be left out. */
  readonly leftOut: number;
}

/** Lines that come to a place, and those that go from there. */
export interface LineChange<T = string> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** What leads from the base to either side. */
export interface Sides<T = string> {
  readonly ours: readonly LineChange<T>[];
  readonly theirs: readonly LineChange<T>[];
  /** Of theirs those that touch none of ours. */
  readonly apart: readonly LineChange<T>[];
}

export type HunkLines<T = string> = Hunk & LineChange<T>;

interface Lines {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * Makes in `ours` the changes that lead from `base` to `theirs`, but for those that touch lines which `ours` has changed
 * itself. Made alike on both sides, they are there already.
 * @param choose of those that stand apart, all by default @param changes as `lineChanges`
 * @returns undefined where too much differs to tell the changes
 */
export function mergeLines<T>(
  base: readonly T[],
  ours: readonly T[],
  theirs: readonly T[],
  choose: (sides: Sides<T>) => readonly LineChange<T>[] = ({ apart }) => apart,
  changes: (before: readonly T[], now: readonly T[]) => HunkLines<T>[] | undefined = lineChanges,
): MergedLines<T> | undefined {
  const own = changes(base, ours);
  const others = changes(base, theirs);
  if (!own || !others) {
    return undefined;
  }
  const touched = new Map(
    others.map((change) => [change, own.filter((each) => touches(before(each), before(change)))]),
  );
  const apart = others.filter((change) => touched.get(change)?.length === 0);
  const chosen = new Set(choose({ ours: own, theirs: others, apart }));
  const made = apart.filter((change) => chosen.has(change));
  const isThere = (change: HunkLines<T>) => {
    const [first, second] = touched.get(change) ?? [];
    return first !== undefined && !second && isAlike(first, change);
  };
  const lines: T[] = [];
  const put = (part: readonly T[]) => part.forEach((line) => lines.push(line)); // `flat` takes a long file several ms
  let taken = 0; // of our lines
  let shift = 0; // from lines of base to ours
  let next = 0; // of our hunks
  for (const { beforeStart, beforeEnd, added } of made) {
    for (let each = own[next]; each && each.beforeEnd <= beforeStart; each = own[++next]) {
      shift = each.nowEnd - each.beforeEnd;
    }
    put(ours.slice(taken, beforeStart + shift));
    put(added);
    taken = beforeEnd + shift;
  }
  put(ours.slice(taken));
  return { lines, leftOut: others.length - made.length - others.filter(isThere).length };
}

/** In rising order; undefined where too much differs to tell them. */
export function lineChanges<T>(...texts: Parameters<typeof diffLines<T>>): HunkLines<T>[] | undefined {
  const [before, now] = texts;
  const { hunks, isExact } = diffLines(...texts);
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

function isAlike<T>(a: HunkLines<T>, b: HunkLines<T>): boolean {
  const isSamePlace = a.beforeStart === b.beforeStart && a.beforeEnd === b.beforeEnd;
  return (
    isSamePlace &&
    a.added.length === b.added.length &&
    a.added.every((line, index) => line === b.added[index])
  );
}
