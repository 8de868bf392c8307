/** The byte order mark. */
export const bom = '\uFEFF';

/** The text with LF for every line end. */
export function withLf(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** As an editor counts them: a text that ends with a line end has an empty last line. */
export function toLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
