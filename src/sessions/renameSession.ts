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
  await withSession(sessionTerminals, named, (session) =>
    askName(session, async (label) => {
      sessionTerminals.rename(session, label);
      const terminal = sessionTerminals.terminalOf(session);
      if (terminal) {
        await renameTerminal(terminal, label);
      }
    }),
  );
}

/** The question stays until `rename` has ended: only then the editor gives the focus back, to what is in front by then. */
async function askName(session: Session, rename: (label: string) => Promise<void>): Promise<void> {
  const box = vscode.window.createInputBox();
  const check = (value: string) => {
    box.validationMessage = value.trim() ? undefined : 'A session needs a name.';
  };
  box.title = 'Rename Claude Code Session';
  box.value = session.label;
  box.valueSelection = [0, session.label.length];
  box.onDidChangeValue(check);
  const hidden = new Promise<undefined>((resolve) => box.onDidHide(() => resolve(undefined)));
  const accepted = new Promise<string>((resolve) =>
    box.onDidAccept(() => {
      check(box.value);
      if (box.value.trim()) {
        resolve(box.value.trim());
      }
    }),
  );
  box.show();
  try {
    const label = await Promise.race([accepted, hidden]);
    if (label !== undefined) {
      box.ignoreFocusOut = box.busy = true;
      await rename(label);
    }
  } finally {
    box.dispose();
  }
}

/** The editor renames no other terminal than the one in front. */
async function renameTerminal(terminal: vscode.Terminal, name: string): Promise<void> {
  const before = vscode.window.activeTerminal;
  await bringToFront(terminal);
  if (vscode.window.activeTerminal === terminal) {
    await vscode.commands.executeCommand('workbench.action.terminal.renameWithArg', { name });
  }
  if (before && before !== terminal) {
    await bringToFront(before);
  }
}

async function bringToFront(terminal: vscode.Terminal): Promise<void> {
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
}
