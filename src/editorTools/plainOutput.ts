import { stripVTControlCharacters } from 'node:util';
import { misleading } from '../base/printable.ts';

/**
 * What a terminal shows of what was printed to it, as far as that can be told without one: no colours, and of a line
 * that was written over, as progress is, what was written last.
 */
export function plainOutput(printed: string): string {
  const lines = printed
    .slice(Math.max(0, printed.lastIndexOf(outputStart)))
    .replaceAll(operatingSystemCommand, '')
    .replaceAll(/\x1b\[1?G/g, '\r') // to the begin of the line
    .split('\n')
    .map((line) => lastWritten(stripVTControlCharacters(line)).replaceAll(misleading, ''));
  return lines.join('\n').trimEnd();
}

/** By which shell integration says that what was typed ends here; VS Code 1.96 tells that, too. */
const outputStart = '\x1b]633;C\x07';

/** Node leaves those in that have blanks in them. */
const operatingSystemCommand = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;

function lastWritten(line: string): string {
  return line.split('\r').findLast((part) => part !== '') ?? '';
}

export interface Tail {
  text: string;
  /** How many lines it has, and how many stand before it. */
  lines: number;
  before: number;
}

/** The last lines, at most so many of them and so many UTF-16 units, though always something of the last. */
export function tail(text: string, maxLines: number, maxUnits: number): Tail {
  const all = text === '' ? [] : text.split('\n');
  const taken: string[] = [];
  let units = 0;
  for (const line of all.toReversed().slice(0, maxLines)) {
    units += line.length + 1;
    if (units > maxUnits) {
      if (taken.length === 0) {
        taken.push(line.slice(-maxUnits));
      }
      break;
    }
    taken.unshift(line);
  }
  return { text: taken.join('\n'), lines: taken.length, before: all.length - taken.length };
}
