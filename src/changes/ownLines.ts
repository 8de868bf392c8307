import { type HunkLines, lineChanges, type LineChange, mergeLines, type Sides } from '../base/lineMerge.ts';
import type { UndoneLines } from './changeSet.ts';
import { isBinary, isSame, linesOf } from './comparison.ts';
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
  /** What is known for the next save: to compare a long file takes most of the time of one. */
  readonly next?: Compared | undefined;
}

/** A file as it was saved, and the text from before: what leads from the one to the other. */
export interface Compared {
  readonly saved: Buffer;
  readonly before: Buffer;
  readonly own: readonly HunkLines[];
}

/** The lines of a save, read once for all sessions: of a long file that alone takes 10 ms. */
export interface SavedLines {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

const nothing: UndoneLines = { added: [], removed: [] };

/** Characters, beyond which the lines that were undone first are no longer known. */
const maxUndone = 50_000;

/**
 * Makes in the text from before what the user has changed in the file, but for what touches lines that agents have changed.
 * A line of theirs that the user has moved or copied stays theirs, and so does what the user has undone by hand and does
 * once more: with that save or a later one.
 * @param undone until then @param lines of the save @param last known of the save before
 * @returns undefined where lines cannot be told
 */
export function takeIn(
  before: Buffer | undefined,
  { from, to }: Save,
  undone: LineChange = nothing,
  lines: SavedLines = savedLinesOf({ from, to }),
  last?: Compared,
): TakenIn | undefined {
  if (!before || [before, from, to].some(isBinary)) {
    return undefined;
  }
  if (isSame(from, to)) {
    return { bytes: before, isWhole: true, undone: together([undone]) };
  }
  const { from: agents, to: now } = lines;
  const was = linesOf(before);
  let waiting: LineChange = nothing;
  let hasAll = false;
  const own = last && isSame(last.saved, from) && isSame(last.before, before) ? last.own : undefined;
  const choose = ({ ours, theirs, apart }: Sides) => {
    waiting = opposite(together(ours)); // as that is what was before
    const isAgents = agentsIn(was, waiting, undone);
    const users = apart.filter((change) => !isAgents(change));
    const taken = withoutHalves(users, theirs, was, now);
    hasAll = taken.length === theirs.length;
    return taken;
  };
  const merged = mergeLines(agents, was, now, choose, own);
  // To compare once more costs a long file tens of ms, and would find what waited before.
  const next = merged && !hasAll ? lineChanges(now, merged.lines) : [];
  if (!merged || !next) {
    return undefined;
  }
  const bytes = Buffer.from(merged.lines.join(''), 'latin1');
  return {
    bytes,
    isWhole: merged.leftOut === 0,
    undone: without(together([undone, waiting]), hasAll ? waiting : opposite(together(next))),
    next: hasAll ? undefined : { saved: to, before: bytes, own: next },
  };
}

export function savedLinesOf({ from, to }: Save): SavedLines {
  return { from: linesOf(from), to: linesOf(to) };
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
  was: readonly string[],
  waiting: LineChange,
  undone: LineChange,
): (change: LineChange) => boolean {
  const added = [...waiting.added, ...undone.added];
  const inWas = countsIn(was, [...added, ...undone.removed]);
  const isTheirsToAdd = telling(
    added.filter((line) => !inWas.has(line)),
    [...waiting.removed, ...undone.added],
  );
  const isTheirsToRemove = telling(
    undone.removed.filter((line) => inWas.get(line) === 1),
    undone.removed,
  );
  return ({ added, removed }) => (added.length > 0 ? isTheirsToAdd(added) : isTheirsToRemove(removed));
}

/**
 * Tells lines that are agents': where one is surely theirs, or where all are perhaps, as others are of the same text. An empty
 * line is anybody's.
 */
function telling(sure: readonly string[], perhaps: readonly string[]): (lines: readonly string[]) => boolean {
  const [isSure, isPerhaps] = [new Set(sure), new Set(perhaps)];
  return (lines) => {
    const full = lines.filter((line) => line.trim() !== '');
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
  changes: readonly LineChange[],
  saved: readonly LineChange[],
  was: readonly string[],
  now: readonly string[],
): readonly LineChange[] {
  const inFile = growth(saved);
  const gone = changes.flatMap(({ removed }) => removed);
  const [inWas, inNow] = [countsIn(was, gone), countsIn(now, gone)];
  const of = (counts: ReadonlyMap<string, number>, line: string) => counts.get(line) ?? 0;
  for (;;) {
    const grown = growth(changes);
    const comesTooOften = (line: string) => of(grown, line) > Math.max(0, of(inFile, line));
    const goesTooOften = (line: string) =>
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
function countsIn(lines: readonly string[], these: readonly string[]): Map<string, number> {
  const meant = new Set(these);
  return growth([{ added: lines.filter((line) => meant.has(line)), removed: [] }]);
}

/** By how much there are more of each line with these changes, or fewer. */
function growth(changes: readonly LineChange[]): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (by: number) => (line: string) => counts.set(line, (counts.get(line) ?? 0) + by);
  for (const { added, removed } of changes) {
    added.forEach(count(1));
    removed.forEach(count(-1));
  }
  return counts;
}

/** As one, in their order. */
export function together(changes: readonly LineChange[]): UndoneLines {
  return {
    added: changes.flatMap(({ added }) => added),
    removed: changes.flatMap(({ removed }) => removed),
  };
}

function opposite({ added, removed }: LineChange): LineChange {
  return { added: removed, removed: added };
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
