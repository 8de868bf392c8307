import { readFile } from 'node:fs/promises';
import type * as vscode from 'vscode';
import { withLf, withoutBom } from '../base/text.ts';

/**
 * Whether its text is what is on the disk: the editor reads a file anew some time after it was written.
 * @returns false where the file is not in UTF-8 @throws when it cannot be read
 */
export async function isAsOnDisk(document: vscode.TextDocument): Promise<boolean> {
  return plain(await readFile(document.uri.fsPath, 'utf8')) === plain(document.getText());
}

function plain(text: string): string {
  return withLf(withoutBom(text));
}
