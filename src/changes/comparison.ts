import { diffLines, maxLines } from '../base/lineDiff.ts';

/** How a file differs from what it was. */
export type Comparison =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'created' | 'modified' | 'deleted';
      /** Absent for files without lines, binary ones; and where it would take too long to count them. */
      readonly lines?: LineCounts;
      /** On either side: it has no lines to decide about. */
      readonly isBinary?: boolean;
    };

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
  /** How many: they are decided one by one. */
  readonly hunks: number;
  /** What the others have now, too, which do not count: they differ in that alone. */
  readonly lineEnds?: 'LF' | 'CRLF';
}

/** Bytes between the first difference and the last, on both sides together, that are looked at line by line. */
const maxPartBytes = 4 * 1024 * 1024;

const lineEnd = 10;

/** @param before @param now undefined: there was, or is, no file */
export function compare(before: Buffer | undefined, now: Buffer | undefined): Comparison {
  if (isSame(before, now)) {
    return { kind: 'same' };
  }
  const kind = !before ? 'created' : !now ? 'deleted' : 'modified';
  if (isBinary(before) || isBinary(now)) {
    return { kind, isBinary: hasNoLines(before) || hasNoLines(now) };
  }
  const lines = countLines(before ?? Buffer.of(), now ?? Buffer.of());
  return lines ? { kind, lines } : { kind };
}

/** @param a @param b undefined: no file */
export function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === b || (a !== undefined && b?.equals(a) === true);
}

function countLines(...whole: [before: Buffer, now: Buffer]): LineCounts | undefined {
  const [before, now] = differingParts(...whole);
  if (before.length === 0 || now.length === 0) {
    return { added: lineCount(now), removed: lineCount(before), hunks: 1 };
  }
  if (before.length + now.length > maxPartBytes || lineCount(before) + lineCount(now) > maxLines) {
    return undefined;
  }
  const [was, is] = [before, now].map(linesOf) as [string[], string[]];
  const hasSame = before.includes('\r\n') === now.includes('\r\n');
  const [old, lineEnds] = hasSame ? [] : whole.map(lineEndsOf);
  const plain = old && lineEnds && old !== lineEnds && countDiffering(was.map(withoutCr), is.map(withoutCr));
  return plain ? { ...plain, lineEnds } : countDiffering(was, is);
}

/** Undefined: of both kinds. */
function lineEndsOf(bytes: Buffer): LineCounts['lineEnds'] {
  const text = bytes.toString('latin1');
  return !text.includes('\r\n') ? 'LF' : /(?<!\r)\n/.test(text) ? undefined : 'CRLF';
}

function withoutCr(line: string): string {
  return line.replace(/\r\n$/, '\n');
}

function countDiffering(before: readonly string[], now: readonly string[]): LineCounts | undefined {
  const { hunks, isExact } = diffLines(before, now);
  if (!isExact) {
    return undefined;
  }
  return {
    added: hunks.reduce((sum, { nowStart, nowEnd }) => sum + nowEnd - nowStart, 0),
    removed: hunks.reduce((sum, { beforeStart, beforeEnd }) => sum + beforeEnd - beforeStart, 0),
    hunks: hunks.length,
  };
}

/** As git decides it: by a zero among the first bytes. */
export function isBinary(bytes: Buffer | undefined): boolean {
  return bytes?.subarray(0, 8_000).includes(0) ?? false;
}

/** Of what is binary to git, a text in UTF-16 has lines, as its mark tells. */
export function hasNoLines(bytes: Buffer | undefined): boolean {
  return isBinary(bytes) && !/^(ÿþ|þÿ)/.test(bytes?.toString('latin1', 0, 2) ?? '');
}

/** Both without the whole lines that are the same at their start and at their end. */
export function differingParts(before: Buffer, now: Buffer): [Buffer, Buffer] {
  const start = before.subarray(0, sameAtStart(before, now)).lastIndexOf(lineEnd) + 1;
  const [ours, theirs] = [before.subarray(start), now.subarray(start)];
  const same = sameAtEnd(ours, theirs);
  // Up to a line end the last lines may be the ends of others.
  const tail = ours.subarray(ours.length - same);
  const end = tail.includes(lineEnd) ? same - tail.indexOf(lineEnd) - 1 : 0;
  return [ours.subarray(0, ours.length - end), theirs.subarray(0, theirs.length - end)];
}

/** Bytes that are compared in one go. */
const block = 64 * 1024;

function sameAtStart(a: Buffer, b: Buffer): number {
  const shorter = Math.min(a.length, b.length);
  let same = 0;
  for (let next = block; next <= shorter && a.compare(b, same, next, same, next) === 0; next += block) {
    same = next;
  }
  while (same < shorter && a[same] === b[same]) {
    same++;
  }
  return same;
}

function sameAtEnd(a: Buffer, b: Buffer): number {
  const shorter = Math.min(a.length, b.length);
  const isSame = (from: number, to: number) =>
    a.compare(b, b.length - to, b.length - from, a.length - to, a.length - from) === 0;
  let same = 0;
  while (same + block <= shorter && isSame(same, same + block)) {
    same += block;
  }
  while (same < shorter && a[a.length - 1 - same] === b[b.length - 1 - same]) {
    same++;
  }
  return same;
}

/** Each with its line end, so that a change of it counts. Latin-1 keeps every byte, whatever the encoding is. */
export function linesOf(bytes: Buffer): string[] {
  const text = bytes.toString('latin1');
  const lines: string[] = [];
  let start = 0;
  for (let end = text.indexOf('\n') + 1; end > 0; end = text.indexOf('\n', start) + 1) {
    lines.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) {
    lines.push(text.slice(start));
  }
  return lines;
}

export function lineCount(bytes: Buffer): number {
  const text = bytes.toString('latin1'); // in which a search is several times faster
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    count++;
  }
  return text === '' || text.endsWith('\n') ? count : count + 1;
}
