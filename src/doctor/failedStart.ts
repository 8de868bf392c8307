import * as vscode from 'vscode';
import { commandIds } from '../editor/commandIds.ts';

/** One message for a start that failed: what is wrong, what to do, and a button to try again. */
export async function reportFailedStart(message: string): Promise<void> {
  const actions = { 'Restart Bridge': commandIds.restart, 'Show Log': commandIds.showLog } as const;
  const choice = await vscode.window.showErrorMessage(
    `Claude Code cannot connect. ${message}`,
    ...(Object.keys(actions) as (keyof typeof actions)[]),
  );
  if (choice) {
    await vscode.commands.executeCommand(actions[choice]);
  }
}
