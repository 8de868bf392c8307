import { misleading, printable } from '../base/printable.ts';
import { cut, withLf } from '../base/text.ts';

/** One line of text from outside as Markdown that shows it as it is. @param limit UTF-16 units */
export function plain(text: string, limit = 200): string {
  return printable(text, limit).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** The same, as code. */
export function code(text: string, limit = 200): string {
  const line = printable(text, limit);
  const marks = fence(line, 1);
  return `${marks} ${line} ${marks}`;
}

/** Some lines of text from outside as a block of code, which nothing in it can end. @param limit UTF-16 units */
export function block(text: string, limit: number, language = ''): string {
  const lines = cut(withLf(text).trimEnd(), limit).replace(misleading, '\uFFFD');
  const marks = fence(lines, 3);
  return `\n\n${marks}${language}\n${lines}\n${marks}\n\n`;
}

/** UTF-16 units of a line that a narrow chat shows: what is longer a block of code hides until it is scrolled. */
const narrow = 32;

/** As `block`, but nothing of a long line is out of sight: for what the user is asked about. @param limit UTF-16 units */
export function blockInSight(text: string, limit: number, language: string): string {
  const lines = cut(withLf(text).trimEnd(), limit).split('\n');
  return lines.some((line) => line.length > narrow)
    ? `\n\n${lines.map((line) => code(line, limit)).join('  \n')}\n\n`
    : block(text, limit, language);
}

/** Backticks: more than there are anywhere in it, in a row. */
function fence(text: string, least: number): string {
  const runs = text.match(/`+/g) ?? [];
  return '`'.repeat(Math.max(least, ...runs.map((run) => run.length + 1)));
}

/** What is shown of a long text, and how many lines are left out. */
export function head(text: string, lines: number, limit: number): { shown: string; leftOut: number } {
  const all = text.trimEnd().split(/\r\n?|\n/);
  const shown = cut(all.slice(0, lines).join('\n'), limit);
  return { shown, leftOut: all.length - shown.split('\n').length };
}
