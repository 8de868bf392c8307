import { mergeLines } from '../base/lineMerge.ts';
import { withLf, withoutBom } from '../base/text.ts';
import type { Bytes } from './baseFile.ts';

export interface Merge {
  readonly text: string;
  /** Changes of the proposal that touch lines which have changed in the file, too. */
  readonly leftOut: number;
}

/**
 * What a proposed text is to become when its file has changed since.
 * @returns undefined where too much differs to tell the changes
 */
export function merged(madeFor: Bytes, now: Bytes, proposed: string): Merge | undefined {
  const merge = mergeLines(linesOf(madeFor), linesOf(now), proposed.split('\n'));
  return merge && { text: merge.lines.join('\n'), leftOut: merge.leftOut };
}

/**
 * What to tell a client that makes the changes from `base` to the text that it is told in the file as it is `now`, so
 * that the file becomes `shown`: that without what is newer, which it would write twice.
 * @param proposed what it is if the user has done no more than merge @returns undefined where no such text is known
 */
export function textToTell(base: Bytes, now: Bytes, shown: string, proposed: string): string | undefined {
  const without = merged(now, base, shown);
  return [proposed, ...(without?.leftOut === 0 ? [without.text] : [])].find((told) => {
    const written = merged(base, now, told);
    return written?.leftOut === 0 && written.text === shown;
  });
}

/** With LF line ends, as the CLI reads it. */
export function linesOf(bytes: Bytes): string[] {
  const isWide = bytes?.[0] === 0xff && bytes[1] === 0xfe;
  return withLf(withoutBom(bytes?.toString(isWide ? 'utf16le' : 'utf8') ?? '')).split('\n');
}
