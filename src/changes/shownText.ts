import { withLf, withoutBom } from '../base/text.ts';

/**
 * Whether an editor that shows that text may have read it from these bytes. Which encoding it has read them in nobody knows:
 * of one that is not UTF-8, lines beyond ASCII may be any.
 */
export function mayShow(text: string, bytes: Buffer): boolean {
  const shown = plain(text);
  if (plain(bytes.toString()) === shown) {
    return true;
  }
  const [lines, read] = [shown, plain(bytes.toString('latin1'))].map((each) => each.split('\n')) as [
    string[],
    string[],
  ];
  return (
    lines.length === read.length &&
    lines.every((line, index) => line === read[index] || !(isAscii(line) || isAscii(read[index] ?? '')))
  );
}

function plain(text: string): string {
  return withLf(withoutBom(text));
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
