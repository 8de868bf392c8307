/** The byte order mark. */
export const bom = '\uFEFF';

export function withoutBom(text: string): string {
  return text.startsWith(bom) ? text.slice(bom.length) : text;
}

/** The text with LF for every line end. */
export function withLf(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** `1 file`, `2 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** At most its first `limit` UTF-16 units, never with half a surrogate pair at the end. */
export function cut(text: string, limit: number): string {
  const isHalf = text.length > limit && /[\uD800-\uDBFF]/.test(text.charAt(limit - 1));
  return text.slice(0, isHalf ? limit - 1 : limit);
}
