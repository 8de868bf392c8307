import * as vscode from 'vscode';
import * as z from 'zod/mini';

/** Paths go into prompts and titles: none that a terminal obeys, or that reads as another. */
const treacherous = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

export const uriOfFile = z
  .custom<vscode.Uri>((value) => value instanceof vscode.Uri && value.scheme === 'file', {
    error: 'expected a Uri of the scheme file',
  })
  .check(z.refine(({ fsPath }) => !treacherous.test(fsPath), 'has control characters in its path'));
