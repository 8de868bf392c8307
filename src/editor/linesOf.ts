import type * as vscode from 'vscode';

/** The lines of a range, as a mention names them; one that ends at the start of a line has nothing of that line. */
export function linesOf({ start, end }: vscode.Range): { lineStart: number; lineEnd: number } {
  const lineEnd = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { lineStart: start.line, lineEnd };
}
