import * as vscode from 'vscode';
import { until } from '../support/until.ts';

interface Dialog {
  readonly isModal: boolean;
  /** The message, and what stands below it. */
  readonly text: string;
  readonly buttons: readonly string[];
  press(button: string): void;
}

/**
 * Warnings that ask something, in the tests of the enclosing `describe`: the host of tests refuses to show modal ones,
 * so they come here instead.
 * @returns waits for the next one
 */
export function useDialogs(): () => Promise<Dialog> {
  const asked: Dialog[] = [];
  const { showWarningMessage } = vscode.window;
  before(() => {
    vscode.window.showWarningMessage = (message: string, ...rest: unknown[]) =>
      new Promise((resolve) => {
        if (typeof rest[0] !== 'object') return; // a toast that asks nothing
        const [options, ...buttons] = rest as [vscode.MessageOptions, ...string[]];
        const press = (button: string) => {
          if (!buttons.includes(button)) {
            throw new Error(`No button ${button} but ${buttons.join()}`);
          }
          resolve(button);
        };
        asked.push({ isModal: options.modal === true, text: `${message} ${options.detail}`, buttons, press });
      });
  });
  after(() => {
    vscode.window.showWarningMessage = showWarningMessage;
  });
  beforeEach(() => void asked.splice(0));
  return () => until('a dialog', () => asked.shift());
}
