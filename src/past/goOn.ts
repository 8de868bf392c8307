import { statSync } from 'node:fs';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { nameOf } from '../records/pastNames.ts';
import type { PastSession } from '../records/pastSessions.ts';
import { launch } from '../sessions/launch.ts';
import { show } from '../sessions/sessionCommands.ts';
import type { PastSurroundings } from './feature.ts';
import type { Holder, PastList } from './pastList.ts';
import { titleText } from './pastWords.ts';

/** Goes on with it in a terminal, or shows who has it open: two in one conversation would not know of each other. */
export async function resumeInTerminal(
  around: PastSurroundings,
  list: PastList,
  session: PastSession,
): Promise<void> {
  const holder = await list.lookForHolder(session.sessionId);
  if (holder) {
    showHolder(around, holder, titleText(session));
  } else {
    launchIn(around, session, [], nameOf(around.globalState, session.sessionId));
  }
}

/** Begins another conversation, which knows what was said in it; whoever has it open goes on undisturbed. */
export function fork(around: PastSurroundings, session: PastSession): void {
  launchIn(around, session, ['--fork-session']);
}

export function showHolder(around: PastSurroundings, holder: Holder, title: string): void {
  switch (holder.kind) {
    case 'session':
      show(around.sessionTerminals, around.userPlace, holder.session);
      break;
    case 'chat':
      void tellOfChat(title);
      break;
    case 'starting':
      void vscode.window.showInformationMessage(`“${title}” is about to be open in a terminal.`);
      break;
    case 'elsewhere':
      void vscode.window.showInformationMessage(
        `“${title}” is open in a Claude Code that is not connected to this window (process ${holder.pid}). End it there first.`,
      );
  }
}

/** A button rather than the chat itself: the editor lets nobody show that conversation there. */
async function tellOfChat(title: string): Promise<void> {
  const show = 'Show the Chat';
  const words = `“${title}” is open in the chat of this window.`;
  if ((await vscode.window.showInformationMessage(words, show)) === show) {
    await vscode.commands.executeCommand('workbench.action.chat.open');
  }
}

function launchIn(
  { launcher, records }: PastSurroundings,
  session: PastSession,
  args: readonly string[],
  name?: string,
): void {
  const { sessionId, cwd } = session;
  if (cwd === undefined || !isFolder(cwd)) {
    const why = cwd === undefined ? 'which its transcript does not name' : `and ${printable(cwd)} is gone`;
    void vscode.window.showInformationMessage(
      `“${titleText(session)}” was not resumed: Claude Code can do that only in the folder where it was held, ${why}.`,
    );
    return;
  }
  if (args.length === 0) {
    records.willRun(sessionId);
  }
  launch(launcher, ['--resume', sessionId, ...args], undefined, cwd, name);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
