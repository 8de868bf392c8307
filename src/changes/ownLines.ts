import { mergeLines } from '../base/lineMerge.ts';
import { isBinary, isSame, linesOf } from './comparison.ts';
import type { Merged } from './merge.ts';

/** A save of the user's: what the file was just before it, and what it is since. */
export interface Save {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** What a save has made of a text from before. */
export interface TakenIn extends Merged {
  /** The lines that only agents have written, by then or before. */
  readonly ofAgents: ReadonlySet<string>;
}

/**
 * Makes in the text from before what the user has changed in the file, but for what touches lines that agents have changed.
 * A line of theirs that the user has moved or copied stays theirs.
 * @param known lines of agents that may be in the file no longer: what was cut out is perhaps put in with the next save
 * @returns undefined where lines cannot be told
 */
export function takeIn(
  before: Buffer | undefined,
  { from, to }: Save,
  known: ReadonlySet<string> = new Set(),
): TakenIn | undefined {
  if (!before || [before, from, to].some(isBinary)) {
    return undefined;
  }
  if (isSame(from, to)) {
    return { bytes: before, isWhole: true, ofAgents: known };
  }
  const [was, agents, now] = [before, from, to].map(linesOf) as [string[], string[], string[]];
  const [added, typed] = [surplus(agents, was), surplus(now, agents)];
  const inWas = new Set(was);
  const ofAgents = new Set([...known, ...added].filter((line) => !inWas.has(line)));
  const isOfAgents = (line: string) => ofAgents.has(line) || (added.has(line) && !typed.has(line));
  const merged = mergeLines(agents, was, now, (lines) => lines.some(isOfAgents));
  if (!merged) {
    return undefined;
  }
  const isWhole = merged.leftOut === 0;
  // Of a line that was moved, only that it went may have been taken in: a revert would lose it.
  return isWhole || !isSplit(was, merged.lines, now)
    ? { bytes: Buffer.from(merged.lines.join(''), 'latin1'), isWhole, ofAgents }
    : { bytes: before, isWhole, ofAgents };
}

/** Whether these bytes are that text in UTF-8: in another encoding nobody knows whether it is what the editor saved. */
export function isUtf8Of(bytes: Buffer, text: string): boolean {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.subarray(hasMark ? 3 : 0).equals(Buffer.from(text));
}

/** Whether a line has gone from the text from before that is still in the file. */
function isSplit(was: readonly string[], merged: readonly string[], now: readonly string[]): boolean {
  const left = surplus(now, merged);
  return [...surplus(was, merged)].some((line) => left.has(line));
}

/** Lines that are there more often than in the others. */
function surplus(lines: readonly string[], others: readonly string[]): Set<string> {
  const shorter = Math.min(lines.length, others.length);
  let start = 0;
  while (start < shorter && lines[start] === others[start]) {
    start++;
  }
  let end = 0;
  while (end < shorter - start && lines.at(-1 - end) === others.at(-1 - end)) {
    end++;
  }
  const counts = new Map<string, number>();
  const count = (all: readonly string[], by: number) => {
    for (let line = start; line < all.length - end; line++) {
      const text = all[line] ?? '';
      counts.set(text, (counts.get(text) ?? 0) + by);
    }
  };
  count(lines, 1);
  count(others, -1);
  return new Set([...counts].flatMap(([line, more]) => (more > 0 ? [line] : [])));
}
