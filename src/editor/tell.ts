import * as vscode from 'vscode';

const manageTrust = { title: 'Manage Workspace Trust', command: 'workbench.trust.manage' };

/** A message with the button that mends what it tells. */
export async function tell(words: string, { title, command }: vscode.Command): Promise<void> {
  if ((await vscode.window.showWarningMessage(words, title)) === title) {
    await vscode.commands.executeCommand(command);
  }
}

export function tellUntrusted(words: string): Promise<void> {
  return tell(words, manageTrust);
}
