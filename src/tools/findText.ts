/** Half-open, in UTF-16 code units. */
export interface OffsetRange {
  start: number;
  end: number;
}

/**
 * Finds a text whose line ends may be written otherwise than in the pattern.
 * @param from where to begin to look, in UTF-16 code units
 */
export function findText(text: string, pattern: string, from = 0): OffsetRange | undefined {
  const exact = text.indexOf(pattern, from);
  if (exact >= 0) {
    return { start: exact, end: exact + pattern.length };
  }
  const lines = pattern.split(/\r\n|\r|\n/).map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (lines.length === 1) {
    return undefined;
  }
  const anyLineEnd = new RegExp(lines.join('(?:\\r\\n|\\r|\\n)'), 'g');
  anyLineEnd.lastIndex = from;
  const found = anyLineEnd.exec(text);
  return found ? { start: found.index, end: found.index + found[0].length } : undefined;
}
