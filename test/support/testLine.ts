const mark = '[tests] ';

/** Marks what the tests print, since it leaves the extension host in one stream with VS Code's own log. */
export const testLine = {
  write: (line: string): string => mark + line,
  /** The line without its mark, or undefined if it is not the tests'. */
  read: (line: string): string | undefined => (line.startsWith(mark) ? line.slice(mark.length) : undefined),
};
