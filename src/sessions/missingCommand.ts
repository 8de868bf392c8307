import * as vscode from 'vscode';
import { setting } from '../editor/settings.ts';
import { openCommandSetting } from './launch.ts';

const installGuide = vscode.Uri.parse('https://code.claude.com/docs/en/setup');

/** Says so, and helps. @returns once the user has answered */
export async function tellMissingCommand(): Promise<void> {
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
