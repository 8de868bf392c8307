import { counted, cut } from '../base/text.ts';
import { block, code, plain } from './markdown.ts';

/** UTF-16 units of one line: none is cut that is not cut with the whole. */
const maxLine = Infinity;

/**
 * What somebody has said as Markdown for a page, with its lists, its headings and its code. It comes from outside: nothing in it
 * becomes a link, an image, which the page would fetch, or HTML.
 * @param most UTF-16 units @param isPage it is the whole page, and its headings are the page's
 */
export function said(text: string, most = 20_000, isPage = false): string {
  const shown = cut(text.trim(), most);
  const lines = shown.split(/\r\n?|\n/);
  const parts: string[] = [];
  let prose: string[] = [];
  const endProse = () => {
    parts.push(proseOf(prose, isPage));
    prose = [];
  };
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [begin = '', fence, language = ''] = /^ {0,3}(```+|~~~+)[ \t]*([\w+#-]*)/.exec(line) ?? [];
    if (fence === undefined || line.includes('`', begin.length)) {
      prose.push(line);
      continue;
    }
    endProse();
    const end = lines.findIndex((other, at) => at > index && other.trim() === fence);
    const last = end < 0 ? lines.length : end;
    parts.push(block(lines.slice(index + 1, last).join('\n'), most, language).trim());
    index = last;
  }
  endProse();
  const more = text.trim().length - shown.length;
  return [...parts, ...(more > 0 ? [`*${counted(more, 'more character')} left out.*`] : [])]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Lines that stay lines, as they were typed. */
function proseOf(lines: readonly string[], isPage: boolean): string {
  return lines
    .map((line) => lineOf(line, isPage))
    .join('  \n')
    .replace(/ {2}\n(?=\n| {2}\n)/g, '\n')
    .trim();
}

function lineOf(line: string, isPage: boolean): string {
  const [, marks, heading] = /^(#{1,6})\s+(.+)$/.exec(line) ?? [];
  if (marks !== undefined && heading !== undefined) {
    const words = plain(heading, maxLine);
    return isPage ? `\n${marks} ${words}\n` : `\n**${words}**\n`;
  }
  const [, indent = '', bullet, rest] = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/.exec(line) ?? [];
  return bullet === undefined || rest === undefined
    ? inline(line.trim())
    : `${' '.repeat(Math.min(indent.length, 8))}${bullet} ${inline(rest)}`;
}

/** Its code and what is bold in it; all else as plain text. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) => {
      if (/^`[^`]+`$/.test(part)) {
        return code(part.slice(1, -1), maxLine);
      }
      const bold = /^\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/.exec(part)?.[1];
      return bold === undefined ? plain(part, maxLine) : `**${plain(bold, maxLine)}**`;
    })
    .join('');
}
