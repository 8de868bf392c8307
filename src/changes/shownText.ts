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

/**
 * The text, as an editor reads it that nobody has told of another encoding: by its mark, else in UTF-8.
 * @returns undefined where it would save other bytes than it has read
 */
export function decoded(bytes: Buffer): string | undefined {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function plain(text: string): string {
  return withLf(withoutBom(text));
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
