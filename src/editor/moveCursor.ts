import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';

/** ms for the editor to tell of it. */
const patience = 500;

/**
 * Puts the cursor at the start of a line, 0-based, and shows it. Ends once the editor has told so: what it still tells of
 * an earlier move would else be read as where the cursor is.
 */
export async function moveCursor(editor: vscode.TextEditor, line: number): Promise<void> {
  const target = new vscode.Selection(line, 0, line, 0);
  const isTold = editor.selection.isEqual(target) ? Promise.resolve() : nextSelection(editor, target);
  editor.selection = target;
  editor.revealRange(target, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  await isTold;
}

async function nextSelection(editor: vscode.TextEditor, target: vscode.Selection): Promise<void> {
  let subscription: vscode.Disposable | undefined;
  const isTold = new Promise<void>((resolve) => {
    subscription = vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
      if (textEditor === editor && selections[0]?.isEqual(target)) {
        resolve();
      }
    });
  });
  await Promise.race([isTold, delay(patience)]);
  subscription?.dispose();
}
