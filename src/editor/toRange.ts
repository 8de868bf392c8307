import type * as vscode from 'vscode';
import type { Diagnostic } from '../protocol/ide.ts';

/** 0-based lines and UTF-16 columns, without what else the editor's own have. */
export function toRange({ start, end }: vscode.Range): Diagnostic['range'] {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}
