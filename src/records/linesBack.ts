import { breathe, readAt } from './recordFile.ts';
import { lineLimits, type LineLimits } from './lineTail.ts';

export interface LineBack {
  /** Without its end; undefined for one over the limit, and for a last one that has no end yet. */
  readonly line: Buffer | undefined;
  /** Where it begins in the file. */
  readonly offset: number;
  /** It has been written to its end. */
  readonly isWhole: boolean;
}

const newline = 0x0a;

/**
 * The lines of a file from that size back: the last first, each with its own bytes.
 * @param reach how many bytes back, or little more; what lies before is not read
 */
export async function* linesBack(
  fd: number,
  size: number,
  reach = size,
  { line: limit, chunk }: LineLimits = lineLimits,
): AsyncGenerator<LineBack> {
  let position = size;
  let isWhole = false;
  let parts: Buffer[] = [];
  let length = 0;

  const prepend = (part: Buffer) => {
    length += part.length;
    parts = length > limit ? [] : [part, ...parts];
  };
  /** What is gathered is a line that begins there. */
  const take = (offset: number): LineBack | undefined => {
    const line = isWhole && length <= limit ? Buffer.concat(parts) : undefined;
    const found = length > 0 || (!isWhole && offset < size) ? { line, offset, isWhole } : undefined;
    [parts, length, isWhole] = [[], 0, true];
    return found;
  };

  while (position > 0 && size - position < reach) {
    const bytes = Buffer.allocUnsafe(Math.min(chunk, position));
    position -= bytes.length;
    if (readAt(fd, bytes, position) < bytes.length) {
      return; // truncated meanwhile
    }
    let to = bytes.length;
    for (
      let at = bytes.lastIndexOf(newline);
      at >= 0;
      at = to > 0 ? bytes.lastIndexOf(newline, to - 1) : -1
    ) {
      prepend(bytes.subarray(at + 1, to));
      const found = take(position + at + 1);
      if (found) {
        yield found;
      }
      to = at;
    }
    prepend(bytes.subarray(0, to));
    await breathe();
  }
  const first = position === 0 ? take(0) : undefined;
  if (first) {
    yield first;
  }
}
