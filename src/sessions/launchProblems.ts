import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { setting } from '../editor/settings.ts';
import { openCommandSetting } from './launch.ts';

const installGuide = vscode.Uri.parse('https://code.claude.com/docs/en/setup');

export async function tellMissing(): Promise<void> {
  const howTo = 'How to Install';
  const choice = await vscode.window.showErrorMessage(
    `The command "${setting('command')}" was not found. Install the Claude Code CLI, or set its path in ideBridge.command.`,
    howTo,
    openCommandSetting.title,
  );
  if (choice === howTo) {
    await vscode.env.openExternal(installGuide);
  } else if (choice) {
    await vscode.commands.executeCommand(openCommandSetting.command, ...openCommandSetting.arguments);
  }
}

/** @param runInAnother starts it in a new terminal, with the same arguments */
export async function tellUsed(runInAnother: () => void): Promise<void> {
  const inAnother = 'Run in Another Terminal';
  const choice = await vscode.window.showWarningMessage(
    `The new terminal was used before Claude Code could be started in it, by you or by a program that its shell starts, so it was not. Run ${setting('command')} there yourself, or in another one.`,
    inAnother,
  );
  if (choice === inAnother) {
    runInAnother();
  }
}

/** Settles when it is back. */
export async function tellReturning(isReturning: () => boolean): Promise<void> {
  const untilReturned = async () => {
    while (isReturning()) {
      await sleep(100);
    }
  };
  const returned = untilReturned();
  vscode.window.setStatusBarMessage('$(loading~spin) Claude Code is coming back…', returned);
  await returned;
}
