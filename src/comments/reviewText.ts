import { extname } from 'node:path';
import { counted } from '../base/text.ts';
import type { Lines } from './anchor.ts';

/** What the session is told of one thread. */
export interface ReviewItem {
  /** Fit to be read by a model: relative to the folder in which it runs, else absolute. */
  readonly path: string;
  readonly lines: Lines;
  readonly quoted: readonly string[];
  readonly isFileGone: boolean;
  /** Whether these lines do not stand there any more as they are quoted. */
  readonly isChanged: boolean;
  /** Oldest first. */
  readonly comments: readonly string[];
}

/** As many lines of code tell which ones are meant. */
const maxQuoted = 40;

/** A fence that nothing in the text closes. */
function fenceFor(text: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((length, [run]) => Math.max(length, run.length), 2);
  return '`'.repeat(longest + 1);
}

/** `line 3`, `lines 3 to 5`; 1-based, as everybody reads them. */
export function placeText({ start, end }: Lines): string {
  return start === end ? `line ${start + 1}` : `lines ${start + 1} to ${end + 1}`;
}

/** All comments as one prompt, in Markdown. */
export function reviewText(items: readonly ReviewItem[]): string {
  const comments = counted(
    items.reduce((sum, item) => sum + item.comments.length, 0),
    'comment',
  );
  const parts = items.map(({ path, lines, quoted, isFileGone, isChanged, comments }, index) => {
    const number = lines.end - lines.start + 1;
    const isCut = number > maxQuoted;
    const code = [
      ...quoted.slice(0, maxQuoted),
      ...(isCut ? [`… (${number - maxQuoted} more lines)`] : []),
    ].join('\n');
    const fence = fenceFor(code);
    const language = extname(path).slice(1).replaceAll('`', ''); // with one there it is no fence
    const note = isFileGone
      ? ' (the file is gone)'
      : isChanged
        ? ' (which have changed since, or are gone)'
        : '';
    return [
      `${index + 1}. ${path}, ${placeText(lines)}${note}:`,
      `${fence}${language}\n${code}\n${fence}`,
      ...comments.map((comment) => comment.trim()),
    ].join('\n');
  });
  return [`Review of your changes, with ${comments}:`, ...parts].join('\n\n');
}

/**
 * The lines that a comment wants to stand there instead: those of its block `suggestion`. As on GitHub, a block without any takes
 * the lines out, and one with an empty line leaves that.
 */
export function suggestionIn(comment: string): string[] | undefined {
  const found = /^(`{3,})suggestion[ \t]*\r?\n((?:[^\n]*\n)*?)\1[ \t]*$/m.exec(comment);
  return found?.[2]?.split(/\r?\n/).slice(0, -1); // behind the last line end is nothing
}
