import * as z from 'zod/mini';
import type * as vscode from 'vscode';
import { path } from '../tools/paths.ts';

/** Of a line or a column. */
export const counting = z.int().check(z.minimum(1), z.maximum(10_000_000));

export interface Spot {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
}

/** How a client names lines of a file. */
export const someLines = {
  file: path.check(z.describe('Path')),
  line: counting.check(z.describe('The first line, from 1')),
  endLine: z.optional(counting.check(z.describe('The last line; the first by default'))),
};

export interface Lines {
  /** From 1. */
  readonly line: number;
  /** Inclusive; the first by default, and where it is before that. */
  readonly endLine?: number | undefined;
}

/** Whole lines; those behind the last one are that. */
export function rangeOf(document: vscode.TextDocument, { line, endLine = line }: Lines): vscode.Range {
  const rangeOfLine = (number: number) => document.lineAt(Math.min(number, document.lineCount) - 1).range;
  return rangeOfLine(line).union(rangeOfLine(Math.max(line, endLine)));
}
