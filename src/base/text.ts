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

/** `+3 −1`, without the one that is none. */
export function linesText({ added, removed }: { added: number; removed: number }): string {
  return [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : ''].filter(Boolean).join(' ');
}

/** The first three, and how many more there are, for a message. */
export function firstOf(effects: readonly string[]): string {
  const shown = 3;
  const more = effects.length - shown;
  return [...effects.slice(0, shown), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** At most its first `limit` UTF-16 units, never with half a surrogate pair at the end. */
export function cut(text: string, limit: number): string {
  const isHalf = text.length > limit && /[\uD800-\uDBFF]/.test(text.charAt(limit - 1));
  return text.slice(0, isHalf ? limit - 1 : limit);
}

/** The first line in which something stands. */
export function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0] ?? '';
}

/** The time of day, with the day where it is not today. @param at ms since the epoch */
export function timeText(at: number): string {
  const time = new Date(at);
  const now = new Date();
  return time.toLocaleString(undefined, {
    ...(time.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
    ...(time.toDateString() !== now.toDateString() && { month: 'short', day: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
  });
}
