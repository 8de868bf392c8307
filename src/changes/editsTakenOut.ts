import type { PastEdit, Replacement } from '../records/events.ts';
import { breathe } from '../records/recordFile.ts';
import { linesOf } from './comparison.ts';
import { merge } from './merge.ts';

/** What a file was before edits that nobody watched, or what it would be without them. */
export interface TakenOut {
  /** Undefined: there was no file. */
  readonly before: Buffer | undefined;
  /** It is what the file was; else what it would be without the edits, for others have written there since. */
  readonly isExact: boolean;
  /** To bring it back takes away what others have written since. */
  readonly isLossy: boolean;
  /** Those that were found in the file. */
  readonly edits: readonly PastEdit[];
}

/** A text as the CLI has it: with LF, and its byte order mark. */
interface Decoded {
  readonly text: string;
  readonly encoding: 'utf8' | 'utf16le';
  readonly lineEnd: '\n' | '\r\n' | 'mixed';
}

/** ms of work after which others have their turn */
const shareOfTime = 20;

/**
 * Goes back from what a file is, edit by edit, as far as each is still there. Nothing is guessed: where the record does
 * not say what every byte was, the reason comes back.
 * @param now undefined: there is no file
 * @param edits of one session, oldest first
 * @param backups what the file may have been, to the byte
 * @param isLive they were made just now: what is not there any more was formatted since, and what the file was is told
 */
export async function takeOut(
  now: Buffer | undefined,
  edits: readonly PastEdit[],
  backups: () => Iterable<Buffer>,
  isLive = false,
): Promise<TakenOut | string> {
  const decoded = now && decode(now);
  if (!decoded) {
    return now ? 'it is not a text that the CLI can edit' : 'it is no longer there';
  }
  let text: string | null = decoded.text;
  let isExact = true;
  let isWhole = true;
  let isLossy = false;
  const found: PastEdit[] = [];
  let begun = performance.now();
  for (const edit of [...edits].reverse()) {
    if (performance.now() - begun > shareOfTime) {
      await breathe();
      begun = performance.now();
    }
    if (text === null) {
      break; // it was another file before
    }
    const step = stepBack(text, edit, backups);
    if (step) {
      ({ before: text } = step);
      isExact &&= step.isExact;
      isWhole &&= step.isWhole;
      isLossy ||= step.isLossy;
      found.unshift(edit);
    } else {
      isExact = isWhole = false;
    }
  }
  const told = isLive && !isWhole ? edits[0]?.before : undefined;
  if (told !== undefined) {
    text = told && withLf(told);
    isLossy = true;
    found.splice(0, found.length, ...edits);
  } else if (found.length === 0) {
    return 'it looks otherwise now';
  }
  const bytes =
    text === null
      ? emptied(backups)
      : bytesOf(text, isExact || told !== undefined, decoded, found, backups, isLive);
  return typeof bytes === 'string'
    ? bytes
    : { before: bytes.bytes, isExact, isLossy: isLossy || bytes.isLossy === true, edits: found };
}

interface Step {
  readonly before: string | null;
  readonly isExact: boolean;
  /** All that it has changed was there. */
  readonly isWhole: boolean;
  readonly isLossy: boolean;
}

/** What a file was, as bytes. */
interface Known {
  readonly bytes: Buffer | undefined;
  /** Its line ends may have been others. */
  readonly isLossy?: boolean;
}

/** Undefined: the edit is not there any more, or it cannot be told from what came later. */
function stepBack(text: string, edit: PastEdit, backups: () => Iterable<Buffer>): Step | undefined {
  const before =
    edit.before === undefined ? beforeOf(text, edit, backups) : edit.before && withLf(edit.before);
  if (before === undefined) {
    return undefined;
  }
  const after = edit.after === undefined ? afterOf(before ?? '', edit) : [withLf(edit.after)];
  if (after.includes(text)) {
    return { before, isExact: true, isWhole: true, isLossy: false };
  }
  const [likely] = after;
  if (likely === undefined) {
    return undefined;
  }
  if (before === null) {
    return isMostlyThere(likely, text) ? { before, isExact: false, isWhole: true, isLossy: true } : undefined;
  }
  const merged = merge(Buffer.from(likely), Buffer.from(text), Buffer.from(before));
  const without = merged?.bytes.toString();
  return !merged || without === undefined || without === text
    ? undefined
    : { before: without, isExact: false, isWhole: merged.isWhole, isLossy: false };
}

/** What an edit can have made of a text: where it deletes, some CLIs take the line ends along. */
function afterOf(before: string, { replacements }: PastEdit): string[] {
  if (replacements.length === 0) {
    return [];
  }
  return [true, false].flatMap((takesLineEnds) => {
    let text: string | undefined = before;
    for (const replacement of replacements) {
      const { from, to } = replacement;
      const whole: string | undefined =
        takesLineEnds && to === '' && !from.endsWith('\n')
          ? replaced(text, { ...replacement, from: `${from}\n` })
          : undefined;
      text = whole ?? replaced(text, replacement);
      if (text === undefined) {
        return [];
      }
    }
    return [text];
  });
}

/** Undefined where there is nothing to replace. */
function replaced(text: string, { from, to, isAll }: Replacement): string | undefined {
  const [old, with_] = [withLf(from), withLf(to)];
  if (old === '' || !text.includes(old)) {
    return undefined;
  }
  return isAll ? text.replaceAll(old, () => with_) : text.replace(old, () => with_);
}

/** For an edit of which the record leaves out what the file was: one that the CLI had read in part. */
function beforeOf(text: string, edit: PastEdit, backups: () => Iterable<Buffer>): string | undefined {
  for (const backup of backups()) {
    const before = decode(backup)?.text;
    if (before !== undefined && afterOf(before, edit).includes(text)) {
      return before;
    }
  }
  const [only, ...others] = edit.replacements;
  if (!only || others.length > 0 || only.isAll || only.to === '') {
    return undefined;
  }
  const [from, to] = [withLf(only.from), withLf(only.to)];
  const at = text.indexOf(to);
  const line = text.slice(0, at).split('\n').length;
  const isThere = edit.patch.some(({ newStart, newLines }) => line >= newStart && line < newStart + newLines);
  const isOnly = at >= 0 && text.indexOf(to, at + 1) < 0;
  return isOnly && isThere ? text.slice(0, at) + from + text.slice(at + to.length) : undefined;
}

/** Whether more than half of its lines are in the other text. */
function isMostlyThere(text: string, now: string): boolean {
  const lines = linesOf(Buffer.from(text));
  const there = new Set(linesOf(Buffer.from(now)));
  return lines.filter((line) => there.has(line)).length * 2 > lines.length;
}

/** CLIs say of an empty file, too, that there was none. */
function emptied(backups: () => Iterable<Buffer>): Known {
  return { bytes: [...backups()].find((backup) => backup.length === 0) };
}

/**
 * The bytes of what a file was. The record has LF for every line end, and a text for whatever the bytes were.
 * @returns why they are not known
 */
function bytesOf(
  text: string,
  isExact: boolean,
  now: Decoded,
  edits: readonly PastEdit[],
  backups: () => Iterable<Buffer>,
  isLive: boolean,
): Known | string {
  for (const backup of backups()) {
    if (decode(backup)?.text === text) {
      return { bytes: backup };
    }
  }
  const [first] = edits;
  if (text.includes('\uFFFD')) {
    return 'its encoding from before is not known';
  }
  if (isExact && first?.before?.includes('\r\n')) {
    return { bytes: Buffer.from(first.before) };
  }
  const isLossy = edits.some(mayChangeLineEnds);
  // What is edited before the user's eyes is rather shown without its line ends than not at all.
  if (now.encoding === 'utf16le' || now.lineEnd === 'mixed' || (isLossy && !isLive)) {
    return 'its line ends from before are not known';
  }
  return { bytes: Buffer.from(now.lineEnd === '\r\n' ? text.replaceAll('\n', '\r\n') : text), isLossy };
}

/** To write a file anew gives it LF since 2.1, of which the record has LF before, too; an edit keeps what most lines have. */
function mayChangeLineEnds({ before, after, version = '' }: PastEdit): boolean {
  return (
    typeof before === 'string' && before.includes('\n') && after !== undefined && !/^(1|2\.0)\./.test(version)
  );
}

/** Undefined for what has no text, or that another encoding may have. */
function decode(bytes: Buffer): Decoded | undefined {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8';
  const whole = bytes.toString(encoding);
  if (!Buffer.from(whole, encoding).equals(bytes)) {
    return undefined;
  }
  const text = withLf(whole);
  const isMixed = text !== whole && /(^|[^\r])\n/.test(whole);
  return { text, encoding, lineEnd: text === whole ? '\n' : isMixed ? 'mixed' : '\r\n' };
}

/** As the CLI reads it: a CR alone stays. */
function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
