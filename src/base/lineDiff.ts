import { diffArrays } from 'diff';

/** Lines that differ, 0-based; ends are exclusive. One of the two ranges may be empty. */
export interface Hunk {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly nowStart: number;
  readonly nowEnd: number;
}

/** ms after which two texts are called different from the first to the last line that differs. */
const patience = 500;

export function diffLines(before: readonly string[], now: readonly string[]): Hunk[] {
  const parts = diffArrays([...before], [...now], { timeout: patience });
  if (!parts) {
    return [wholeHunk(before, now)];
  }
  const hunks: Hunk[] = [];
  let beforeLine = 0;
  let nowLine = 0;
  for (let i = 0; i < parts.length; i++) {
    const hunk = { beforeStart: beforeLine, nowStart: nowLine };
    // What was removed and what was added in its place come as two parts.
    for (let part = parts[i]; part && (part.added || part.removed); part = parts[++i]) {
      if (part.added) {
        nowLine += part.count;
      } else {
        beforeLine += part.count;
      }
    }
    if (beforeLine > hunk.beforeStart || nowLine > hunk.nowStart) {
      hunks.push({ ...hunk, beforeEnd: beforeLine, nowEnd: nowLine });
    }
    const common = parts[i]?.count ?? 0;
    beforeLine += common;
    nowLine += common;
  }
  return hunks;
}

function wholeHunk(before: readonly string[], now: readonly string[]): Hunk {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) {
    start++;
  }
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === now.at(-1 - end)) {
    end++;
  }
  return {
    beforeStart: start,
    beforeEnd: before.length - end,
    nowStart: start,
    nowEnd: now.length - end,
  };
}
