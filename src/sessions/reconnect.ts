import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { commandIds } from '../editor/commandIds.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Bridge } from '../server/bridge.ts';
import { followAbsent, interval } from './absentClis.ts';
import type { SessionStates } from './sessionStates.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { terminalsWithOtherPort } from './terminalPorts.ts';
import { Notice } from '../editor/notice.ts';
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
    isNewPort && port !== undefined && offerReconnect(bridge, sessionTerminals, port),
  ]);
}

/**
 * Tells which terminals have a port that this window no longer has, and offers to reconnect the CLIs in them; until each
 * of them is closed or has a session again.
 */
async function offerReconnect(
  bridge: Bridge,
  sessionTerminals: SessionTerminals,
  port: number,
): Promise<void> {
  const { state } = bridge;
  await sleep(restoringTime);
  const terminals = await terminalsWithOtherPort(port);
  const isOver = (terminal: vscode.Terminal) =>
    terminal.exitStatus !== undefined || sessionTerminals.sessionsIn(terminal).length > 0;
  const waits = () => bridge.state === state && !terminals.every(isOver);
  if (!waits()) {
    return;
  }
  const notice = new Notice();
  // What runs in a terminal can name it.
  const names = terminals.map(({ name }) => printable(name, 40)).join(', ');
  notice.say(
    `The bridge of this window has a new port: a CLI in a terminal from before (${names}) has to reconnect with /ide`,
    { title: 'Reconnect…', command: commandIds.reconnect },
  );
  while (waits()) {
    await sleep(interval);
  }
  notice.end();
}

/**
 * Shows a terminal in which the user may type `/ide`; nothing is typed.
 * @param states of terminals without a CLI that is lost it is not known what runs there
 * @param argument process id of a CLI, where a view names it
 */
export async function reconnect(
  port: number,
  userPlace: UserPlace,
  states: Pick<SessionStates, 'absent' | 'lookForAbsent'>,
  argument: unknown,
): Promise<void> {
  await states.lookForAbsent();
  const lost = states.absent.filter(
    ({ isLost, pid }) => isLost && (argument === undefined || pid === argument),
  );
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
