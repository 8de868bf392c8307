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

export function diffLines(before: readonly string[], now: readonly string[]): LineDiff {
  const part = differingPart(before, now);
  const { beforeStart, beforeEnd, nowStart, nowEnd } = part;
  if (beforeStart === beforeEnd || nowStart === nowEnd) {
    const isSame = beforeStart === beforeEnd && nowStart === nowEnd;
    return { hunks: isSame ? [] : [part], isExact: true };
  }
  if (beforeEnd - beforeStart + nowEnd - nowStart > maxLines) {
    return { hunks: [part], isExact: false };
  }
  // A line that only one side has is known to differ: mostly there is little left to compare.
  const { ours, theirs, beforeNumbers, nowNumbers } = sharedLines(before, now, part);
  const parts = diffArrays(beforeNumbers, nowNumbers, {
    maxEditLength: Math.min(maxEdits, Math.floor(maxWork / (ours.length + theirs.length + 1))),
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
  for (const { added, removed, count } of parts) {
    for (let k = 0; k < count && !added && !removed; k++) {
      meet(ours[i + k], theirs[j + k]);
    }
    i += added ? 0 : count;
    j += removed ? 0 : count;
  }
  meet();
  return { hunks: slidDown(hunks, before, now), isExact: true };
}

/**
 * Of equal lines the last are those that came or went: so two diffs of the same lines tell the same of them, which a
 * merge relies on.
 */
function slidDown(hunks: readonly Hunk[], before: readonly string[], now: readonly string[]): Hunk[] {
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
function stepsDown(hunk: Hunk, before: readonly string[], now: readonly string[], end: number): number {
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
function differingPart(before: readonly string[], now: readonly string[]): Hunk {
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

/**
 * Of the lines in a part those that both sides have: where they stand, and a number for the text of each, as to hash
 * every line twice and compare it as a text takes most of the time of a diff.
 */
function sharedLines(before: readonly string[], now: readonly string[], part: Hunk) {
  const numbers = new Map<string, number>();
  const all: number[] = [];
  for (let line = part.beforeStart; line < part.beforeEnd; line++) {
    const text = before[line] ?? '';
    let number = numbers.get(text);
    if (number === undefined) {
      number = all.length; // so that it tells where the text stands first, too
      numbers.set(text, number);
    }
    all.push(number);
  }
  const isShared = new Uint8Array(all.length);
  const [theirs, nowNumbers]: [number[], number[]] = [[], []];
  let next = 0; // mostly the line after the last one comes next: to compare it takes less than to look it up
  for (let line = part.nowStart; line < part.nowEnd; line++) {
    const text = now[line] ?? '';
    const isNext = next < all.length && before[part.beforeStart + next] === text;
    const number = isNext ? all[next] : numbers.get(text);
    next = 1 + (isNext ? next : (number ?? next));
    if (number !== undefined) {
      isShared[number] = 1;
      theirs.push(line);
      nowNumbers.push(number);
    }
  }
  const [ours, beforeNumbers]: [number[], number[]] = [[], []];
  all.forEach((number, index) => {
    if (isShared[number]) {
      ours.push(part.beforeStart + index);
      beforeNumbers.push(number);
    }
  });
  return { ours, theirs, beforeNumbers, nowNumbers };
}
