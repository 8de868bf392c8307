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
  const [was, agents, now] = [linesOf(before), linesOf(from), linesOf(to)];
  const [inWas, inAgents, inNow] = [was, agents, now].map(countsOf) as [Counts, Counts, Counts];
  const ofAgents = new Set([...known, ...inAgents.keys()].filter((line) => !inWas.has(line)));
  const isMoved = (line: string) => count(inNow, line) <= count(inAgents, line);
  const isOfAgents = (line: string) =>
    ofAgents.has(line) || (count(inAgents, line) > count(inWas, line) && isMoved(line));
  const merged = mergeLines(agents, was, now, (added) => added.some(isOfAgents));
  if (!merged) {
    return undefined;
  }
  const isWhole = merged.leftOut === 0;
  // Of a line that was moved, only that it went may have been taken in: a revert would lose it.
  return isWhole || !isSplit(inWas, countsOf(merged.lines), inNow)
    ? { bytes: Buffer.from(merged.lines.join(''), 'latin1'), isWhole, ofAgents }
    : { bytes: before, isWhole, ofAgents };
}

/** Whether these bytes are that text in UTF-8: in another encoding nobody knows whether it is what the editor saved. */
export function isUtf8Of(bytes: Buffer, text: string): boolean {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.subarray(hasMark ? 3 : 0).equals(Buffer.from(text));
}

/** How often each line is there. */
type Counts = ReadonlyMap<string, number>;

function countsOf(lines: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const line of lines) {
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
}

/** Whether a line has gone from the text from before that is still in the file. */
function isSplit(was: Counts, merged: Counts, now: Counts): boolean {
  return [...was].some(([line, times]) => {
    const left = count(merged, line);
    return left < times && left < count(now, line);
  });
}

function count(counts: Counts, line: string): number {
  return counts.get(line) ?? 0;
}
