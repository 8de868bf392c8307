import type { Hunk } from '../base/lineDiff.ts';

/** One that a diff may tell of other lines just as well. */
export interface SlidingHunk extends Hunk {
  /** The first line of before at which it could stand: those from there on are equal to its own. */
  readonly highest: number;
  /** What it puts there. */
  readonly added: readonly string[];
}

/** @param hunks in rising order, as a diff of the two gives them */
export function slidingHunks(
  hunks: readonly Hunk[],
  before: readonly string[],
  now: readonly string[],
): SlidingHunk[] {
  return hunks.map((hunk, index) => ({
    ...hunk,
    highest: Math.max(hunk.beforeStart - stepsUp(hunk, before, now), hunks[index - 1]?.beforeEnd ?? 0),
    added: now.slice(hunk.nowStart, hunk.nowEnd),
  }));
}

/**
 * What agents have made of a text that the user has changed since: what touches their hunks, or stands where one of them
 * could as well. There it is theirs only if it removes something, or has a line of theirs: what only adds others is the
 * user's, however many equal lines lie between.
 * @param written by agents, against the same text from before
 */
export function ofAgents<H extends SlidingHunk>(hunks: readonly H[], written: readonly H[]): H[] {
  const beside = new Set(touching(hunks, written, ({ beforeStart, beforeEnd }) => [beforeStart, beforeEnd]));
  const lines = new Set(written.flatMap(({ added }) => added));
  return touching(hunks, written, ({ highest, beforeEnd }) => [highest, beforeEnd]).filter(
    (hunk) =>
      beside.has(hunk) || hunk.beforeStart < hunk.beforeEnd || hunk.added.some((line) => lines.has(line)),
  );
}

/**
 * Those that have a line in common with one of the others, or stand beside one: such are one change to the user.
 * @param range of lines, on the side that both have; in rising order, as a diff gives them
 */
export function touching<H extends Hunk>(
  hunks: readonly H[],
  others: readonly H[],
  range: (hunk: H) => [start: number, end: number],
): H[] {
  let next = 0;
  return hunks.filter((hunk) => {
    const [start, end] = range(hunk);
    let other = others[next];
    while (other && range(other)[1] < start) {
      other = others[++next];
    }
    return other !== undefined && range(other)[0] <= end;
  });
}

/** An edit of a document, as the editor tells it: what stood from the start to the end is `text` now. */
export interface Edit {
  readonly range: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
  readonly text: string;
}

/** Where the lines of hunks are once their document is edited. */
export function shifted<H extends Hunk>(hunks: readonly H[], edits: readonly Edit[]): readonly H[] {
  return edits.reduce((all, { range: { start, end }, text }) => {
    const last = start.line + text.split('\n').length - 1;
    const now = (line: number) =>
      line <= start.line ? line : line > end.line ? line + last - end.line : Math.min(line, last);
    return all.map((hunk) => ({ ...hunk, nowStart: now(hunk.nowStart), nowEnd: now(hunk.nowEnd) }));
  }, hunks);
}

/** By how many lines a hunk could stand higher as well: the others are equal to those that it says came or went. */
function stepsUp(hunk: Hunk, before: readonly string[], now: readonly string[]): number {
  const isRemoval = hunk.nowStart === hunk.nowEnd;
  if (!isRemoval && hunk.beforeStart < hunk.beforeEnd) {
    return 0;
  }
  const lines = isRemoval ? before : now;
  const [above, last] = (isRemoval ? [hunk.beforeStart, hunk.beforeEnd] : [hunk.nowStart, hunk.nowEnd]).map(
    (line) => line - 1,
  ) as [number, number];
  let steps = 0;
  while (steps < hunk.beforeStart && lines[above - steps] === lines[last - steps]) {
    steps++;
  }
  return steps;
}
