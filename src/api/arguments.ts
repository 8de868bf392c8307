import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { hasUnprintable } from '../base/printable.ts';

export const uriOfFile = z
  .custom<vscode.Uri>((value) => value instanceof vscode.Uri && value.scheme === 'file', {
    error: 'expected a Uri of the scheme file',
  })
  // Paths go into prompts and titles: none that a terminal obeys, or that reads as another.
  .check(z.refine(({ fsPath }) => !hasUnprintable(fsPath), 'has control characters in its path'));

/** Text of an extension's own. @param most in UTF-16 units @param lines whether there may be several */
export function words(most: number, lines: 'one line' | 'lines' = 'one line') {
  const isTreacherous = (text: string) =>
    hasUnprintable(lines === 'lines' ? text.replaceAll('\n', ' ') : text);
  return z.string().check(
    z.refine((text) => text.trim() !== '', 'is empty'),
    z.maxLength(most),
    z.refine((text) => !isTreacherous(text), 'has control characters'),
  );
}

export const cancellationToken = z.custom<vscode.CancellationToken>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'isCancellationRequested' in value &&
    'onCancellationRequested' in value &&
    typeof value.onCancellationRequested === 'function',
  { error: 'expected a CancellationToken' },
);
