import * as vscode from 'vscode';
import { tokenOf } from '../editor/cancellation.ts';

interface Asking {
  readonly title: string;
  readonly placeHolder: string;
  readonly canPickMany: boolean;
}

/**
 * Offers items, of which none is chosen at first: an Enter that was meant for what was there before, or comes again of a key
 * that is held, picks nothing.
 * @param over closes it
 * @returns at least one; undefined when the user has left it, or it was closed
 */
export async function chooseItems<T extends vscode.QuickPickItem>(
  items: readonly T[],
  { title, placeHolder, canPickMany }: Asking,
  over: AbortSignal,
): Promise<readonly T[] | undefined> {
  const picker = vscode.window.createQuickPick<T>();
  const close = () => picker.hide();
  Object.assign(picker, {
    title,
    placeholder: placeHolder,
    canSelectMany: canPickMany,
    ignoreFocusOut: true,
  });
  picker.items = items;
  picker.activeItems = [];
  const chosen = new Promise<readonly T[] | undefined>((resolve) => {
    picker.onDidAccept(() => {
      if (picker.selectedItems.length > 0) {
        resolve(picker.selectedItems);
      }
    });
    picker.onDidHide(() => resolve(undefined));
  });
  over.addEventListener('abort', close);
  picker.show();
  if (over.aborted) {
    close();
  }
  try {
    return await chosen;
  } finally {
    over.removeEventListener('abort', close);
    picker.dispose();
  }
}

/** @param over closes it @returns never empty; undefined when the user has left it, or it was closed */
export async function askWords(
  title: string,
  prompt: string,
  over: AbortSignal,
): Promise<string | undefined> {
  const until = tokenOf(over);
  const validateInput = (words: string) =>
    words.trim() === '' ? 'Say it in words, or leave by Escape.' : '';
  try {
    const options = { title, prompt, validateInput, ignoreFocusOut: true };
    return await vscode.window.showInputBox(options, until.token);
  } finally {
    until.dispose();
  }
}
