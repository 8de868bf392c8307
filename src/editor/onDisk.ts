import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { withLf, withoutBom } from '../base/text.ts';

/**
 * Whether its text is what is on the disk: the editor reads a file anew some time after it was written.
 * @returns false where the file is not in UTF-8 @throws when it cannot be read
 */
export async function isAsOnDisk(document: vscode.TextDocument): Promise<boolean> {
  return plain(await readFile(document.uri.fsPath, 'utf8')) === plain(document.getText());
}

/**
 * Waits until a document has what is on the disk; one with unsaved changes is what a language server knows.
 * @param patience in ms @throws when the file cannot be read
 */
export async function isReloaded(document: vscode.TextDocument, patience: number): Promise<boolean> {
  const uri = document.uri.toString();
  let subscription: vscode.Disposable | undefined;
  const changed = new Promise<boolean>((resolve) => {
    subscription = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document.uri.toString() === uri && event.contentChanges.length > 0) {
        resolve(true);
      }
    });
  });
  try {
    return (
      (await isAsOnDisk(document)) ||
      document.isDirty ||
      (await Promise.race([changed, delay(patience, false)]))
    );
  } finally {
    subscription?.dispose();
  }
}

function plain(text: string): string {
  return withLf(withoutBom(text));
}
