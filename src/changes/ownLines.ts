import { type LineChange, mergeLines, type Sides } from '../base/lineMerge.ts';
import type { UndoneLines } from './changeSet.ts';
import { isBinary, isSame } from './comparison.ts';
import { LineNumbers } from './lineNumbers.ts';
import type { Merged } from './merge.ts';

/** A save of the user's: what the file was just before it, and what it is since. */
export interface Save {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** What a save has made of a text from before. */
export interface TakenIn extends Merged {
  /** With what this save has undone, and without what it has done once more. */
  readonly undone: UndoneLines;
}

/** See `LineNumbers`. */
type Lines = readonly number[];
type NumberedChange = LineChange<number>;

const nothing: UndoneLines = { added: [], removed: [] };

/** Characters, beyond which the lines that were undone first are no longer known. */
const maxUndone = 50_000;

/**
 * Makes in the text from before what the user has changed in the file, but for what touches lines that agents have changed.
 * A line of theirs that the user has moved or copied stays theirs, and so does what the user has undone by hand and does
 * once more: with that save or a later one.
 * @param undone until then @param numbers of lines, as they are known of the save before
 * @returns undefined where lines cannot be told
 */
export function takeIn(
  before: Buffer | undefined,
  { from, to }: Save,
  undone: LineChange = nothing,
  numbers = new LineNumbers(),
): TakenIn | undefined {
  if (!before || [before, from, to].some(isBinary)) {
    return undefined;
  }
  if (isSame(from, to)) {
    return { bytes: before, isWhole: true, undone: together([undone]) };
  }
  const [agents, now, was] = [from, to, before].map((bytes) => numbers.of(bytes)) as [Lines, Lines, Lines];
  let waiting: NumberedChange = { added: [], removed: [] };
  let [hasAny, hasAll] = [false, false];
  const choose = ({ ours, theirs, apart }: Sides<number>) => {
    waiting = opposite(together(ours)); // as that is what was before
    const isAgents = agentsIn(was, waiting, numbered(undone, numbers), (line) =>
      isEmpty(numbers.lineOf(line)),
    );
    const users = apart.filter((change) => !isAgents(change));
    const taken = withoutHalves(users, theirs, was, now);
    hasAny = taken.length > 0;
    hasAll = taken.length === theirs.length;
    return taken;
  };
  const changes = (...texts: [Lines, Lines]) => numbers.changes(...texts);
  const merged = mergeLines(agents, was, now, choose, changes);
  const lines = merged && hasAny ? merged.lines : was;
  // To compare once more would find what waited before.
  const next = merged && !hasAll ? changes(now, lines) : [];
  if (!merged || !next) {
    return undefined;
  }
  const bytes = hasAny ? numbers.bytesOf(lines) : before;
  numbers.know(bytes, lines);
  const asLines = ({ added, removed }: NumberedChange): LineChange => ({
    added: added.map((line) => numbers.lineOf(line)),
    removed: removed.map((line) => numbers.lineOf(line)),
  });
  const waited = asLines(waiting);
  return {
    bytes,
    isWhole: merged.leftOut === 0,
    undone: without(together([undone, waited]), hasAll ? waited : asLines(opposite(together(next)))),
  };
}

/** Whether these bytes are that text in UTF-8: in another encoding nobody knows whether it is what the editor saved. */
export function isUtf8Of(bytes: Buffer, text: string): boolean {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.subarray(hasMark ? 3 : 0).equals(Buffer.from(text));
}

/**
 * Tells what is agents', although the user has made it: what puts in lines of theirs, or such as have gone; and what takes out
 * lines that they had taken out, with nothing in their place.
 * @param waiting what agents have put in and taken out, and the user has not undone
 */
function agentsIn(
  was: Lines,
  waiting: NumberedChange,
  undone: NumberedChange,
  isEmpty: (line: number) => boolean,
): (change: NumberedChange) => boolean {
  const added = [...waiting.added, ...undone.added];
  const inWas = countsIn(was, [...added, ...undone.removed]);
  const isTheirsToAdd = telling(
    added.filter((line) => !inWas.has(line)),
    [...waiting.removed, ...undone.added],
    isEmpty,
  );
  const isTheirsToRemove = telling(
    undone.removed.filter((line) => inWas.get(line) === 1),
    undone.removed,
    isEmpty,
  );
  return ({ added, removed }) => (added.length > 0 ? isTheirsToAdd(added) : isTheirsToRemove(removed));
}

/**
 * Tells lines that are agents': where one is surely theirs, or where all are perhaps, as others are of the same text. An empty
 * line is anybody's.
 */
function telling(sure: Lines, perhaps: Lines, isEmpty: (line: number) => boolean): (lines: Lines) => boolean {
  const [isSure, isPerhaps] = [new Set(sure), new Set(perhaps)];
  return (lines) => {
    const full = lines.filter((line) => !isEmpty(line));
    return (
      full.some((line) => isSure.has(line)) || (full.length > 0 && full.every((line) => isPerhaps.has(line)))
    );
  };
}

/**
 * Without what would be half of a move: no line comes to the text from before, or goes from it, more often than to the file
 * or from there, and none goes altogether that is still in the file, as a revert would lose it.
 * @param saved all that the save has changed
 */
function withoutHalves(
  changes: readonly NumberedChange[],
  saved: readonly NumberedChange[],
  was: Lines,
  now: Lines,
): readonly NumberedChange[] {
  const inFile = growth(saved);
  const gone = changes.flatMap(({ removed }) => removed);
  const [inWas, inNow] = [countsIn(was, gone), countsIn(now, gone)];
  const of = (counts: ReadonlyMap<number, number>, line: number) => counts.get(line) ?? 0;
  for (;;) {
    const grown = growth(changes);
    const comesTooOften = (line: number) => of(grown, line) > Math.max(0, of(inFile, line));
    const goesTooOften = (line: number) =>
      of(grown, line) < Math.min(0, of(inFile, line)) ||
      (inNow.has(line) && of(inWas, line) + of(grown, line) <= 0);
    const whole = changes.filter(
      ({ added, removed }) => !added.some(comesTooOften) && !removed.some(goesTooOften),
    );
    if (whole.length === changes.length) {
      return whole;
    }
    changes = whole;
  }
}

/** How often each of these is among the lines: to count all of them would take a long file several ms. */
function countsIn(lines: Lines, these: Lines): Map<number, number> {
  const meant = new Set(these);
  return growth([{ added: lines.filter((line) => meant.has(line)), removed: [] }]);
}

/** By how much there are more of each line with these changes, or fewer. */
function growth<T>(changes: readonly LineChange<T>[]): Map<T, number> {
  const counts = new Map<T, number>();
  const count = (by: number) => (line: T) => counts.set(line, (counts.get(line) ?? 0) + by);
  for (const { added, removed } of changes) {
    added.forEach(count(1));
    removed.forEach(count(-1));
  }
  return counts;
}

/** As one, in their order. */
export function together<T>(changes: readonly LineChange<T>[]): { added: T[]; removed: T[] } {
  return {
    added: changes.flatMap(({ added }) => added),
    removed: changes.flatMap(({ removed }) => removed),
  };
}

function opposite<T>({ added, removed }: LineChange<T>): LineChange<T> {
  return { added: removed, removed: added };
}

function numbered({ added, removed }: LineChange, numbers: LineNumbers): NumberedChange {
  const numberOf = (line: string) => numbers.numberOf(line);
  return { added: added.map(numberOf), removed: removed.map(numberOf) };
}

function isEmpty(line: string): boolean {
  return line.trim() === '';
}

/** What is left of the one without the other, within bounds. */
function without(change: LineChange, other: LineChange): UndoneLines {
  return { added: rest(change.added, other.added), removed: rest(change.removed, other.removed) };
}

/** Oldest first. */
function rest(lines: readonly string[], others: readonly string[]): string[] {
  const left = growth([{ added: others, removed: [] }]);
  const more = lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
  let room = maxUndone;
  return more.slice(more.findLastIndex((line) => (room -= line.length) < 0) + 1);
}
