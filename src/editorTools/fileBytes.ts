import { isUtf8 } from 'node:buffer';
import { diffLines } from '../base/lineDiff.ts';
import { bom, withLf, withoutBom } from '../base/text.ts';

/** The text of a file as an editor has it, with LF line ends and no byte order mark; undefined for what is no UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? withLf(withoutBom(bytes.toString())) : undefined;
}

/**
 * A text as the file has its own: with its byte order mark, and its line ends. Where these are mixed, each line that stays
 * keeps its own, and the others get those that most have.
 * @param before the file, in UTF-8 @param text with LF line ends
 */
export function bytesLike(before: Buffer, text: string): Buffer {
  const whole = before.toString();
  const mark = whole.startsWith(bom) ? bom : '';
  const parts = withoutBom(whole).split(/(\r\n?|\n)/);
  const [old, oldEnds] = [0, 1].map((odd) => parts.filter((_, i) => i % 2 === odd)) as [string[], string[]];
  const usual = commonest(oldEnds);
  const now = text.split('\n');
  const ends = now.map(() => usual);
  if (oldEnds.some((end) => end !== usual)) {
    let [oldLine, nowLine] = [0, 0];
    const keepUntil = (line: number) => {
      for (; nowLine < line; nowLine++, oldLine++) {
        ends[nowLine] = oldEnds[oldLine] ?? usual;
      }
    };
    for (const { beforeEnd, nowStart, nowEnd } of diffLines(old, now).hunks) {
      keepUntil(nowStart);
      [oldLine, nowLine] = [beforeEnd, nowEnd];
    }
    keepUntil(now.length);
  }
  const lines = now.map((line, i) => (i < now.length - 1 ? line + ends[i] : line));
  return Buffer.from(mark + lines.join(''));
}

function commonest(ends: readonly string[]): string {
  const count = (end: string) => ends.filter((each) => each === end).length;
  return ['\n', '\r\n', '\r'].reduce((best, end) => (count(end) > count(best) ? end : best));
}
