import { basename } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { openDocument } from './documents.ts';

/**
 * Makes what the user has made of a proposal, for which nobody waits any more, a document of its own.
 * @param uri the proposed side
 */
export async function keepTyped(uri: vscode.Uri, content: string): Promise<void> {
  const language = openDocument(uri)?.languageId ?? 'plaintext';
  await vscode.workspace.openTextDocument({ content, language }); // in a tab behind the others, as all that is unsaved
  void vscode.window.showWarningMessage(
    `No session waits for your version of ${printable(basename(uri.path))} any more: it is now in an unsaved document.`,
  );
}
