import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { isNotFound } from '../base/errors.ts';
import { diffLines, type Hunk } from '../base/lineDiff.ts';
import { documentBefore } from './beforeFiles.ts';
import { type Change, mustBeFile } from './changes.ts';
import type { Entry } from './changeSet.ts';
import { hasNoLines } from './comparison.ts';
import { mayShow } from './shownText.ts';
import { linesBetween, linesIn } from '../editor/documents.ts';
import { replacement } from '../editor/replacement.ts';

/** @throws when the file is too large and too different to tell its hunks */
export async function hunksOf(change: Entry, document: vscode.TextDocument): Promise<Hunk[]> {
  return (await diffOf(change, document)).hunks;
}

/** With the lines of both sides. @throws as `hunksOf` does */
export async function diffOf(change: Entry, document: vscode.TextDocument) {
  const before = await linesIn(await documentBefore(change));
  await setImmediate(); // of a long file each step takes tens of ms, and every extension waits for it
  const now = await linesIn(document);
  await setImmediate();
  return { before, now, hunks: exactHunks(before, now) };
}

/**
 * The hunk around a 0-based line of the file as it is now; of a deletion, the line before or after it. Between two, the
 * one after the line, which is where the gutter marks it: at the top of the file, at line -1.
 */
export function hunkAt(hunks: readonly Hunk[], line: number): Hunk | undefined {
  const isDeletionHere = ({ nowStart, nowEnd }: Hunk) =>
    nowStart === nowEnd && Math.abs(nowStart - line - 0.5) < 1;
  return (
    hunks.find(({ nowStart, nowEnd }) => nowStart <= line && line < nowEnd) ?? hunks.findLast(isDeletionHere)
  );
}

/** The line above which its lenses stand: where lines were only removed, the one after them. */
export function shownLine({ nowStart }: Hunk, { lineCount }: vscode.TextDocument): number {
  return Math.min(nowStart, lineCount - 1);
}

/** As the gutter names it: its first line; where lines are gone, the one before them. */
export function namedLine({ nowStart, nowEnd }: Hunk): number {
  return nowStart === nowEnd ? nowStart - 1 : nowStart;
}

/** The text of a hunk, on both sides, in few characters: what tells that it is still the one that was shown. */
export function markOf(hunk: Hunk, before: vscode.TextDocument, now: vscode.TextDocument): string {
  const { beforeStart, beforeEnd, nowStart, nowEnd } = hunk;
  const sides = [linesBetween(before, beforeStart, beforeEnd), linesBetween(now, nowStart, nowEnd)];
  return createHash('sha1').update(JSON.stringify(sides)).digest('base64');
}

/**
 * What is there of a file, of which a part is to be decided.
 * @param before what the file was @throws why it can be decided as a whole alone
 */
export async function readLines(path: string, before: Buffer): Promise<Buffer> {
  await mustBeFile(path);
  const now = await readFile(path).catch((error: unknown) => {
    throw isNotFound(error) ? hasNoParts(path, 'deleted') : error;
  });
  if (hasNoLines(before) || hasNoLines(now)) {
    throw hasNoParts(path, 'binary');
  }
  return now;
}

/** @throws where it is known that a file can be decided as a whole alone, which is looked at again once a part is decided */
export function mustHaveParts(path: string, { kind, isBinary }: Change['comparison']): void {
  if (kind === 'deleted' || isBinary === true) {
    throw hasNoParts(path, kind === 'deleted' ? kind : 'binary');
  }
}

function hasNoParts(path: string, what: 'deleted' | 'binary'): Error {
  return new Error(`${basename(path)} is ${what}: keep or revert the file.`);
}

/**
 * Puts the lines of before in the place of those of now; saved, unless there were unsaved changes already.
 * @param version of the document, for which the hunk was found @returns whether it was still that one
 */
export async function revertHunk(
  change: Entry,
  document: vscode.TextDocument,
  hunk: Hunk,
  version: number,
): Promise<boolean> {
  const wasDirty = document.isDirty;
  const lines = linesBetween(await documentBefore(change), hunk.beforeStart, hunk.beforeEnd);
  if (document.version !== version) {
    return false; // the hunk stands elsewhere
  }
  const { range, text } = replacement(document, hunk, lines);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, text);
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error('The editor has refused the edit.');
  }
  if (!wasDirty) {
    await document.save();
  }
  return true;
}

/** Both sides of a file on disk, and what they would be with one hunk of it decided. */
export interface DecidedHunk {
  /** As `find` has answered. */
  readonly hunk: Hunk | null | undefined;
  readonly now: Buffer;
  /** The text from before, with the hunk. */
  readonly kept: Buffer;
  /** What is there now, without it. */
  readonly without: Buffer;
}

/**
 * By bytes, as no encoding brings back each of them.
 * @param before what the file was @param document of the file @param find which of the hunks; null or undefined: none
 * @param verb what is to be done with it
 * @returns undefined when the document shows another text than the file has @throws when it cannot be told from the others
 */
export async function decideHunk(
  path: string,
  before: Buffer,
  document: vscode.TextDocument,
  find: (hunks: Hunk[]) => Hunk | null | undefined,
  verb: 'keep' | 'revert',
): Promise<DecidedHunk | undefined> {
  const now = await readLines(path, before);
  const [ours, theirs] = [textLines(before), textLines(now)];
  if (before.includes(0) || now.includes(0)) {
    throw hasOtherLines(verb);
  }
  await setImmediate(); // see `diffOf`
  const hunks = exactHunks(ours.map(withoutCr), theirs.map(withoutCr));
  await setImmediate();
  if (!mayShow(document.getText(), now)) {
    return undefined; // the editor has not read it anew yet
  }
  if (theirs.length !== document.lineCount) {
    throw hasOtherLines(verb);
  }
  const hunk = find(hunks);
  if (!hunk || hunks.length === 1) {
    return { hunk, now, kept: now, without: before }; // with all that no line shows, such as line ends
  }
  const { beforeStart, beforeEnd, nowStart, nowEnd } = hunk;
  return {
    hunk,
    now,
    kept: spliced(ours, beforeStart, beforeEnd, theirs.slice(nowStart, nowEnd)),
    without: spliced(theirs, nowStart, nowEnd, ours.slice(beforeStart, beforeEnd)),
  };
}

/** In UTF-16, for example, lines do not end where the editor sees it. */
function hasOtherLines(verb: 'keep' | 'revert'): Error {
  const [done, instead] = verb === 'keep' ? ['kept', 'Keep'] : ['reverted', 'Revert'];
  return new Error(`A part of this file cannot be ${done}, as it is encoded. ${instead} the file instead.`);
}

function exactHunks(before: readonly string[], now: readonly string[]): Hunk[] {
  const { hunks, isExact } = diffLines(before, now);
  if (!isExact) {
    throw new Error('Too much of this file has changed to decide about a part of it. Decide about the file.');
  }
  return hunks;
}

/** Latin-1 keeps every byte, whatever the encoding is. */
function textLines(bytes: Buffer): string[] {
  return bytes.toString('latin1').split('\n');
}

function spliced(lines: string[], start: number, end: number, others: string[]): Buffer {
  return Buffer.from([...lines.slice(0, start), ...others, ...lines.slice(end)].join('\n'), 'latin1');
}

function withoutCr(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
