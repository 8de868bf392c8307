import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import { commandIds, onRow } from '../editor/commandIds.ts';
import { Session } from '../server/session.ts';
import { withSession } from './sessionCommands.ts';
import type { SessionTerminals } from './sessionTerminals.ts';

/** The rows of a view of sessions, and of what else is in it. */
export interface SessionRows {
  /** Whether a click on its row may be meant for another. */
  refuseClick(session: Session): boolean;
}

/** And its terminal with it; also by a key on its row. */
export async function renameSession(
  sessionTerminals: SessionTerminals,
  rows: SessionRows,
  argument: unknown,
  focused: unknown,
): Promise<void> {
  const isKey = argument === onRow;
  const named = isKey ? focused : argument;
  if ((named as { past?: unknown } | undefined)?.past !== undefined) {
    await vscode.commands.executeCommand(commandIds.renamePast, named); // the same key, on a row of another room's
    return;
  }
  const isSession = named instanceof Session;
  if (isKey ? !isSession : isSession && rows.refuseClick(named)) {
    return;
  }
  await withSession(sessionTerminals, named, async (session) => {
    const label = await vscode.window.showInputBox({
      title: 'Rename Session',
      value: session.label,
      validateInput: (value) => (value.trim() ? undefined : 'A session needs a name.'),
    });
    if (label !== undefined) {
      sessionTerminals.rename(session, label.trim());
      const terminal = sessionTerminals.terminalOf(session);
      if (terminal) {
        await renameTerminal(terminal, label.trim());
      }
    }
  });
}

/** The editor renames no other terminal than the one in front. */
async function renameTerminal(terminal: vscode.Terminal, name: string): Promise<void> {
  const inFront = new Deferred<void>();
  const subscription = vscode.window.onDidChangeActiveTerminal((active) => {
    if (active === terminal) {
      inFront.settle();
    }
  });
  terminal.show(true);
  if (vscode.window.activeTerminal !== terminal) {
    await Promise.race([inFront.promise, sleep(5_000)]);
  }
  subscription.dispose();
  if (vscode.window.activeTerminal === terminal) {
    await vscode.commands.executeCommand('workbench.action.terminal.renameWithArg', { name });
  }
}
