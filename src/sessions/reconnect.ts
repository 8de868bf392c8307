import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { terminalsWithOtherPort } from './terminalPorts.ts';
import { withoutIcons } from '../editor/plainLabel.ts';

/** After a window reload we start before the editor has brought back its terminals; ms. */
const restoringTime = 3_000;

/** Tells which terminals have a port that this window no longer has, and offers to reconnect the CLIs in them. */
export async function offerReconnect(port: number): Promise<void> {
  await sleep(restoringTime);
  const terminals = await terminalsWithOtherPort(port);
  if (terminals.length === 0) {
    return;
  }
  const action = 'Reconnect…';
  // What runs in a terminal can name it.
  const names = terminals.map(({ name }) => printable(name, 40)).join(', ');
  const choice = await vscode.window.showWarningMessage(
    `Claude Code has a new port in this window. A CLI that runs in a terminal from before (${names}) has to reconnect with /ide.`,
    action,
  );
  if (choice === action) {
    await reconnect(port);
  }
}

/** Shows a terminal in which the user may type `/ide`; it is not known what runs there, so nothing is typed. */
export async function reconnect(port: number): Promise<void> {
  const terminals = await terminalsWithOtherPort(port);
  const picked =
    terminals.length > 1
      ? await vscode.window.showQuickPick(
          terminals.map((terminal) => ({ label: withoutIcons(terminal.name), terminal })),
          { placeHolder: 'Terminal in which Claude Code runs' },
        )
      : terminals[0] && { terminal: terminals[0] };
  if (picked) {
    picked.terminal.show();
    void vscode.window.showInformationMessage(
      `Type /ide to the Claude Code CLI in the terminal "${printable(picked.terminal.name, 40)}", and choose this window.`,
    );
  } else if (terminals.length === 0) {
    void vscode.window.showInformationMessage('Every open terminal knows the port of this window.');
  }
}
