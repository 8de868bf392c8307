import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { commandIds } from '../editor/commandIds.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Bridge } from '../server/bridge.ts';
import { followAbsent } from './absentClis.ts';
import type { AbsentCli, SessionStates } from './sessionStates.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { terminalsWithOtherPort } from './terminalPorts.ts';
import { withoutIcons } from '../editor/plainLabel.ts';

/** After a window reload we start before the editor has brought back its terminals; ms. */
const restoringTime = 3_000;

/** Tells of CLIs that had a connection to the bridge before this one. */
export async function tellCutOff(
  bridge: Bridge,
  sessionTerminals: SessionTerminals,
  states: SessionStates,
  isNewPort: boolean,
): Promise<void> {
  const { port } = bridge;
  await Promise.all([
    followAbsent(bridge, sessionTerminals, states),
    isNewPort && port !== undefined && offerReconnect(port),
  ]);
}

/** Tells which terminals have a port that this window no longer has, and offers to reconnect the CLIs in them. */
async function offerReconnect(port: number): Promise<void> {
  await sleep(restoringTime);
  const terminals = await terminalsWithOtherPort(port);
  if (terminals.length === 0) {
    return;
  }
  const action = 'Reconnect…';
  // What runs in a terminal can name it.
  const names = terminals.map(({ name }) => printable(name, 40)).join(', ');
  const choice = await vscode.window.showWarningMessage(
    `The bridge of this window has a new port. A CLI in a terminal from before (${names}) has to reconnect with /ide.`,
    action,
  );
  if (choice === action) {
    await vscode.commands.executeCommand(commandIds.reconnect);
  }
}

/**
 * Shows a terminal in which the user may type `/ide`; nothing is typed.
 * @param absent of terminals without one that is lost it is not known what runs there
 * @param argument process id of a CLI, where a view names it
 */
export async function reconnect(
  port: number,
  userPlace: UserPlace,
  absent: readonly AbsentCli[],
  argument: unknown,
): Promise<void> {
  const lost = absent.filter(({ isLost, pid }) => isLost && (argument === undefined || pid === argument));
  if (argument !== undefined && lost.length === 0) {
    return; // it is back, or has ended
  }
  const others = argument === undefined ? await terminalsWithOtherPort(port) : [];
  const terminals = [...new Set([...lost.flatMap(({ terminal }) => terminal ?? []), ...others])];
  const picked =
    terminals.length > 1
      ? await vscode.window.showQuickPick(
          terminals.map((terminal) => ({ label: withoutIcons(terminal.name), terminal })),
          { placeHolder: 'Terminal in which Claude Code runs' },
        )
      : terminals[0] && { terminal: terminals[0] };
  if (picked) {
    userPlace.show(picked.terminal);
    void vscode.window.showInformationMessage(
      `Type /ide to the Claude Code CLI in the terminal "${printable(picked.terminal.name, 40)}", and choose this window.`,
    );
  } else if (terminals.length === 0) {
    void vscode.window.showInformationMessage('Every open terminal knows the port of this window.');
  }
}
