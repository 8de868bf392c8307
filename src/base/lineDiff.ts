// By its path: with the whole library the start would load what only a chunk uses.
import { diffArrays } from 'diff/lib/diff/array.js';

/** Lines that differ, 0-based; ends are exclusive. One of the two ranges may be empty. */
export interface Hunk {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly nowStart: number;
  readonly nowEnd: number;
}

export interface LineDiff {
  readonly hunks: Hunk[];
  /** False where the texts are too large and too different: then there is one hunk, of all that may differ. */
  readonly isExact: boolean;
}

// All of this runs on the one thread of every extension. These limits hold it for some tens of ms at most, and unlike a
// limit of time they give the same answer on every machine.

/** On both sides together, between the first line that differs and the last. */
export const maxLines = 200_000;

/** Added and removed, of the lines that both sides have: the work grows with its square, and with their number. */
const maxEdits = 400;
const maxWork = 50_000 * maxEdits;

/** For lines of both sides the same numbers where they are equal; and a bound of these. What only `is` has may share one. */
type NumbersOf<T> = (was: readonly T[], is: readonly T[]) => [readonly number[], readonly number[], number];

/** @param numbersOf where the lines are no texts */
export function diffLines<T>(
  before: readonly T[],
  now: readonly T[],
  numbersOf: NumbersOf<T> = numbersOfTexts,
): LineDiff {
  const part = differingPart(before, now);
  const { beforeStart, beforeEnd, nowStart, nowEnd } = part;
  if (beforeStart === beforeEnd || nowStart === nowEnd) {
    const isSame = beforeStart === beforeEnd && nowStart === nowEnd;
    return { hunks: isSame ? [] : [part], isExact: true };
  }
  if (beforeEnd - beforeStart + nowEnd - nowStart > maxLines) {
    return { hunks: [part], isExact: false };
  }
  const [was, is, bound] = numbersOf(before.slice(beforeStart, beforeEnd), now.slice(nowStart, nowEnd));
  const [isBefore, isNow] = [was, is].map((lines) => {
    const isThere = new Uint8Array(bound);
    lines.forEach((line) => (isThere[line] = 1));
    return isThere;
  });
  const isShared = (line: number) => isBefore?.[line] === 1 && isNow?.[line] === 1;
  const shared = [was.filter(isShared), is.filter(isShared)] as const;
  // A line that only one side has is known to differ: mostly there is little left to compare.
  const parts = diffArrays(...shared, {
    maxEditLength: Math.min(maxEdits, Math.floor(maxWork / (shared[0].length + shared[1].length + 1))),
  });
  if (!parts) {
    return { hunks: [part], isExact: false };
  }
  const hunks: Hunk[] = [];
  let [beforeLine, nowLine] = [beforeStart, nowStart];
  /** The lines up to these two differ; these two are the same. */
  const meet = (beforeSame = beforeEnd, nowSame = nowEnd) => {
    if (beforeSame > beforeLine || nowSame > nowLine) {
      hunks.push({ beforeStart: beforeLine, beforeEnd: beforeSame, nowStart: nowLine, nowEnd: nowSame });
    }
    [beforeLine, nowLine] = [beforeSame + 1, nowSame + 1];
  };
  let [i, j] = [0, 0];
  const past = (lines: readonly number[], line: number) => {
    while (line < lines.length && !isShared(lines[line] ?? 0)) {
      line++;
    }
    return line + 1;
  };
  for (const { added, removed, count } of parts) {
    for (let k = 0; k < count; k++) {
      i = added ? i : past(was, i);
      j = removed ? j : past(is, j);
      if (!added && !removed) {
        meet(beforeStart + i - 1, nowStart + j - 1);
      }
    }
  }
  meet();
  return { hunks: slidDown(hunks, before, now), isExact: true };
}

/**
 * Of equal lines the last are those that came or went: so two diffs of the same lines tell the same of them, which a
 * merge relies on.
 */
function slidDown<T>(hunks: readonly Hunk[], before: readonly T[], now: readonly T[]): Hunk[] {
  const slid: Hunk[] = []; // from the last to the first
  for (let hunk of hunks.toReversed()) {
    for (;;) {
      const next = slid.at(-1);
      hunk = movedDown(hunk, stepsDown(hunk, before, now, next?.beforeStart ?? before.length));
      if (!next || hunk.beforeEnd < next.beforeStart) {
        break;
      }
      hunk = { ...hunk, beforeEnd: next.beforeEnd, nowEnd: next.nowEnd };
      slid.pop();
    }
    slid.push(hunk);
  }
  return slid.reverse();
}

function movedDown({ beforeStart, beforeEnd, nowStart, nowEnd }: Hunk, lines: number): Hunk {
  return {
    beforeStart: beforeStart + lines,
    beforeEnd: beforeEnd + lines,
    nowStart: nowStart + lines,
    nowEnd: nowEnd + lines,
  };
}

/** @param end of the lines of `before` that it may slide over */
function stepsDown<T>(hunk: Hunk, before: readonly T[], now: readonly T[], end: number): number {
  const isRemoval = hunk.nowStart === hunk.nowEnd;
  if (!isRemoval && hunk.beforeStart < hunk.beforeEnd) {
    return 0;
  }
  const lines = isRemoval ? before : now;
  const [first, behind] = isRemoval ? [hunk.beforeStart, hunk.beforeEnd] : [hunk.nowStart, hunk.nowEnd];
  let steps = 0;
  while (hunk.beforeEnd + steps < end && lines[first + steps] === lines[behind + steps]) {
    steps++;
  }
  return steps;
}

/** From the first line that differs to the last; empty on both sides if none does. */
function differingPart<T>(before: readonly T[], now: readonly T[]): Hunk {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) {
    start++;
  }
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === now[now.length - 1 - end]) {
    end++;
  }
  return {
    beforeStart: start,
    beforeEnd: before.length - end,
    nowStart: start,
    nowEnd: now.length - end,
  };
}

/** To hash every line twice and compare it as a text takes most of the time of a diff. */
function numbersOfTexts<T>(was: readonly T[], is: readonly T[]): [number[], number[], number] {
  const numbers = new Map<T, number>();
  const all = was.map((line, index) => {
    const number = numbers.get(line) ?? index; // so that it tells where the text stands first, too
    numbers.set(line, number);
    return number;
  });
  let next = 0; // mostly the line after the last one comes next: to compare it takes less than to look it up
  const theirs = is.map((line) => {
    const isNext = was[next] === line;
    const number = isNext ? all[next] : numbers.get(line);
    next = 1 + (isNext ? next : (number ?? next));
    return number ?? was.length;
  });
  return [all, theirs, was.length + 1];
}
