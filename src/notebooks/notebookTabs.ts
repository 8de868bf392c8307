import { basename } from 'node:path';
import type * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { tabsWith } from '../editor/tabContent.ts';

export function isOpen({ uri }: vscode.NotebookDocument): boolean {
  return tabsWith(uri).length > 0;
}

export function nameOf({ uri }: vscode.NotebookDocument): string {
  return printable(basename(uri.path));
}
