import type { Hunk } from '../base/lineDiff.ts';

/**
 * Those that have a line in common with one of the others, or stand beside one: such are one change to the user.
 * @param range of lines, on the side that both have; in rising order, as a diff gives them
 */
export function touching(
  hunks: readonly Hunk[],
  others: readonly Hunk[],
  range: (hunk: Hunk) => [start: number, end: number],
): Hunk[] {
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
