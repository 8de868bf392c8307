/** The lines that a comment is about: 0-based, the last one included. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** As the editor tells of an edit: what stood from the start to the end is `text` now. */
export interface Edit {
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
  readonly text: string;
}

/** Where the lines are after an edit of their document; those that it has replaced are where it was. */
export function followEdit(lines: Lines, { range: { start, end }, text }: Edit): Lines {
  const added = text.split('\n').length - 1;
  const grown = added - (end.line - start.line);
  const isBefore =
    end.line < lines.start ||
    // Whole lines that end where the first one begins.
    (end.line === lines.start && end.character === 0 && (start.line < lines.start || text.endsWith('\n')));
  if (isBefore) {
    return { start: lines.start + grown, end: lines.end + grown };
  }
  const isAfter =
    start.line > lines.end ||
    (start.line === lines.end && start.character > 0 && end.line === start.line && /^\r?\n/.test(text));
  if (isAfter) {
    return lines;
  }
  // It has replaced some of them: of a text that was replaced as a whole they are nearly where they were.
  const first = Math.min(lines.start, start.line + added);
  const isPastEnd = end.line > lines.end;
  return {
    start: first,
    end: Math.max(first, isPastEnd ? first + lines.end - lines.start : lines.end + grown),
  };
}

/** Whether an edit has replaced all of the lines, and more: they may stand elsewhere in what it has brought. */
export function replaces({ range: { start, end } }: Edit, lines: Lines): boolean {
  return (
    start.line <= lines.start && end.line >= lines.end && end.line - start.line > lines.end - lines.start
  );
}

/** The text's lines, without their ends. */
export function linesOfText(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Whether these lines of the text are the quoted ones. */
export function stands(text: readonly string[], { start }: Lines, quoted: readonly string[]): boolean {
  return quoted.every((line, index) => text[start + index] === line);
}

/** Where lines that begin as quoted stand in the text, nearest to where they were; undefined where they are gone. */
export function findLines(
  text: readonly string[],
  { start, end }: Lines,
  quoted: readonly string[],
): Lines | undefined {
  const last = text.length - quoted.length;
  const at = (line: number) => ({ start: line, end: line + end - start });
  for (let away = 0; away <= Math.max(start, last - start); away++) {
    for (const line of away === 0 ? [start] : [start - away, start + away]) {
      if (line >= 0 && line <= last && stands(text, at(line), quoted)) {
        return at(line);
      }
    }
  }
  return undefined;
}

/** Inside a text of so many lines. */
export function clamped({ start, end }: Lines, count: number): Lines {
  const last = Math.max(0, count - 1);
  return { start: Math.min(start, last), end: Math.min(end, last) };
}
