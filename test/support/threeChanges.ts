/** A text of thirty lines, and one that differs from it in three places. */
export const original = Array.from({ length: 30 }, (_, i) => `line ${i}`);

/** Line 2 changed, lines 10 and 11 gone, one line more after line 20. */
export const changed = [
  ...original.slice(0, 2),
  'LINE 2',
  ...original.slice(3, 10),
  ...original.slice(12, 21),
  'more',
  ...original.slice(21),
];

export const asText = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
