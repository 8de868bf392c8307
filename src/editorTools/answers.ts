// How the tools say what they have found: short lines that a model can go by, and no more than a CLI takes.
import * as z from 'zod/mini';
import { onOneLine } from './onOneLine.ts';
import { counted } from '../base/text.ts';

/** Lines and columns as people count them: from 1, columns in UTF-16 units. */
export interface Place {
  /** Absolute. */
  path: string;
  line: number;
  column: number;
  /** What stands in that line; absent where it is not shared, or lies outside of the workspace. */
  text?: string;
}

/** In UTF-16 units. CLI 2.1.330 puts a file in the place of longer answers, of which the model sees the first 2 kB. */
export const maxText = 20_000;
/** Of one source line. */
const maxLine = 200;

export const paging = {
  limit: z.optional(
    z.int().check(z.minimum(1), z.maximum(500), z.describe('How many at most; 50 by default')),
  ),
  offset: z.optional(
    z.int().check(z.minimum(0), z.maximum(1_000_000), z.describe('How many to leave out, of those before')),
  ),
};

/** What `structuredContent` says of a page. */
export const pageOutput = {
  total: z.int(),
  nextOffset: z.optional(z.int()),
  withheld: z.optional(z.int()),
};

/** What an item is in words, and as data. */
export interface Shown<Data> {
  line: string;
  data: Data;
}

export interface Page<Data> {
  readonly items: Data[];
  readonly lines: readonly string[];
  /** What there is to say of the whole, as `pageOutput` has it. */
  readonly counts: { total: number; nextOffset?: number; withheld?: number };
}

/**
 * Some of what was found: as many as are asked for, and as fit.
 * @param show called for the items of the page only
 * @param withheld how many others there are, of which the client may not hear
 */
export async function page<T, Data>(
  all: readonly T[],
  { limit = 50, offset = 0 }: { limit?: number | undefined; offset?: number | undefined },
  show: (item: T) => Shown<Data> | Promise<Shown<Data>>,
  withheld = 0,
): Promise<Page<Data>> {
  const items: Data[] = [];
  const lines: string[] = [];
  let length = 0;
  for (const item of all.slice(offset, offset + limit)) {
    const { line, data } = await show(item);
    length += line.length + 1;
    if (length > maxText && items.length > 0) {
      break;
    }
    items.push(data);
    lines.push(shownText(line, maxText));
  }
  const end = offset + items.length;
  const counts = {
    total: all.length,
    ...(end < all.length && items.length > 0 && { nextOffset: end }),
    ...(withheld > 0 && { withheld }),
  };
  return { items, lines, counts };
}

/**
 * A page in words: how many there are, what they are, and what is not among them.
 * @param what is counted: one of it, several
 */
export function pageText(
  { lines, counts: { total, nextOffset, withheld } }: Page<unknown>,
  ...what: readonly [string, string]
): string {
  return [
    `${counted(total, ...what)}${lines.length < total ? `, ${lines.length} of them here` : ''}`,
    ...lines,
    ...(nextOffset === undefined ? [] : [`More with offset ${nextOffset}.`]),
    ...(withheld === undefined ? [] : [`${withheld} more not shared by the settings of this editor.`]),
  ].join('\n');
}

/** `src/a.ts:3:14  export function greet() {` @param name how its file is called, on one line */
export function placeText({ path, line, column, text }: Place, name: (path: string) => string): string {
  const place = `${name(path)}:${line}:${column}`;
  return text === undefined ? place : `${place}  ${text}`;
}

/** A line of a file as it is shown: without its indentation, and not the whole of one that a machine has written. */
export function shownLine(line: string): string {
  return onOneLine(line.trim().replaceAll('\t', ' '), maxLine);
}

/** Text of several lines, at most `limit` UTF-16 units of it. */
export function shownText(text: string, limit = 4_000): string {
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length - limit} more characters)` : text;
}

/** Where a name stands in a text as a word of its own, as an offset in UTF-16 units; -1 if nowhere. */
export function indexOfWord(text: string, word: string, from = 0): number {
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWordCharacter(text.charAt(at - 1)) && !isWordCharacter(text.charAt(at + word.length))) {
      return at;
    }
  }
  return -1;
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}_$]/u.test(character);
}
