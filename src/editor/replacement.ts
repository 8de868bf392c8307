import * as vscode from 'vscode';
import type { Hunk } from '../base/lineDiff.ts';

/** Puts `lines` in the place of a hunk of the document: whole lines, and with them the line end before or, if there is a line after them, behind. */
export function replacement(
  document: vscode.TextDocument,
  { nowStart, nowEnd }: Hunk,
  lines: readonly string[],
): { range: vscode.Range; text: string } {
  if (nowEnd < document.lineCount) {
    return {
      range: new vscode.Range(nowStart, 0, nowEnd, 0),
      text: lines.map((line) => `${line}\n`).join(''),
    };
  }
  const end = document.lineAt(document.lineCount - 1).range.end;
  if (nowStart > 0) {
    const start = document.lineAt(nowStart - 1).range.end;
    return { range: new vscode.Range(start, end), text: lines.map((line) => `\n${line}`).join('') };
  }
  return { range: new vscode.Range(new vscode.Position(0, 0), end), text: lines.join('\n') };
}
