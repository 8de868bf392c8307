/** Control characters, line and paragraph separators, and the marks that turn the direction of text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Of text of several lines: marks that turn its direction, and control characters. It would read as what it is not. */
export const misleading = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|(?![\n\t])\p{Cc}/gu;

export function hasUnprintable(text: string): boolean {
  return text.search(unprintable) >= 0;
}

/**
 * Text from outside made fit for a line of the log, a label or a message: on one line, nothing in it that a terminal
 * obeys or that makes it read as something else, no `[link](command:…)` of which a notification makes a link, and at
 * most `limit` UTF-16 units long.
 */
export function printable(text: string, limit = 200): string {
  const clean = head(text, limit + 1)
    .replace(unprintable, '\uFFFD')
    .replaceAll('](', '] (');
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean;
}

/** A part of a string holds the whole in memory (V8), and a client may send megabytes: this one is a copy. */
function head(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).split('').join('') : text;
}
