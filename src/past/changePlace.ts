import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import type { ChatSession } from '../chat/chatSessions.ts';
import type { PastSession } from '../records/pastSessions.ts';
import { isAlive } from '../server/processes.ts';
import type { Session } from '../server/session.ts';
import { launch } from '../sessions/launch.ts';
import type { PastSurroundings } from './feature.ts';
import { showHolder } from './goOn.ts';
import type { PastList } from './pastList.ts';
import { titleText } from './pastWords.ts';

/** Ms that a CLI in a terminal has to end. */
const endTime = 10_000;

/** Whether the chat of this window can go on with it: its CLI runs in a folder of the window. */
export function mayChat({ chat }: PastSurroundings, list: PastList, cwd: string | undefined): boolean {
  return chat.participant !== undefined && cwd !== undefined && list.folders.includes(cwd);
}

/** Goes on with it in a new thread of the chat, or shows who has it open. */
export async function resumeInChat(
  around: PastSurroundings,
  list: PastList,
  session: PastSession,
): Promise<void> {
  const { sessionId, cwd } = session;
  if (!mayChat(around, list, cwd)) {
    say(
      around.chat.participant
        ? `The chat goes on only with what was held in a folder of its window, and not in ${printable(cwd ?? 'one that is not known')}.`
        : 'This editor has no chat for extensions.',
    );
    return;
  }
  const holder = await list.lookForHolder(sessionId);
  if (holder) {
    showHolder(around, holder, titleText(session));
  } else {
    if (await openChat()) {
      await ask(sessionId);
    }
  }
}

/** Ends the engine's CLI, and goes on in a terminal. */
export async function continueInTerminal(
  around: PastSurroundings,
  list: PastList,
  chat: ChatSession,
): Promise<void> {
  const label = printable(chat.label);
  /** As of this moment: the row was drawn before. */
  const state = () => around.chat.sessions.find(({ chatId }) => chatId === chat.chatId)?.state.kind ?? 'idle';
  if (chat.sessionId === undefined) {
    say(`“${label}” can go on in a terminal once it has answered.`);
    return;
  }
  if (state() !== 'idle' && !(await mayInterrupt(label))) {
    return;
  }
  await around.chat.participant?.stop(chat, true);
  const holder = await list.lookForHolder(chat.sessionId);
  if (holder) {
    showHolder(around, holder, label);
  } else {
    around.records.willRun(chat.sessionId);
    launch(around.launcher, ['--resume', chat.sessionId], undefined, chat.folder);
  }
}

async function mayInterrupt(label: string): Promise<boolean> {
  const action = 'Stop and Continue';
  const show = 'Show the Chat';
  const choice = await vscode.window.showWarningMessage(
    `Stop “${label}”, and continue it in a terminal?`,
    {
      modal: true,
      detail:
        'It is in the midst of a turn: what it asks or proposes is withdrawn, and prompts that wait are dropped.',
    },
    show,
    action,
  );
  if (choice === show) {
    await vscode.commands.executeCommand('workbench.action.chat.open');
  }
  return choice === action;
}

/** Ends the CLI in its terminal, which stays, and goes on in the chat: two must not be in one conversation. */
export async function continueInChat(
  around: PastSurroundings,
  list: PastList,
  session: Session,
): Promise<void> {
  const { sessionTerminals } = around;
  const label = printable(session.label);
  const folder = () => sessionTerminals.folderOf(session);
  if (!mayChat(around, list, folder())) {
    say(
      around.chat.participant
        ? `“${label}” cannot continue in the chat, which works in the folders of its window only.`
        : 'This editor has no chat for extensions.',
    );
    return;
  }
  const before = await idleProcess(around, session);
  if (!before) {
    say(`“${label}” can continue in the chat when it has answered and is idle, and its records may be read.`);
    return;
  }
  const show = 'Show Terminal';
  const action = 'End It and Continue';
  const choice = await vscode.window.showWarningMessage(
    `End “${label}” in its terminal, and continue it in the chat?`,
    {
      modal: true,
      detail:
        'Two of them in one conversation would not know of each other. The terminal stays; what stands in its prompt, unsent, is lost.',
    },
    show,
    action,
  );
  if (choice === show) {
    showHolder(around, { kind: 'session', session }, label);
  }
  if (choice !== action) {
    return;
  }
  const now = await idleProcess(around, session);
  if (now?.sessionId !== before.sessionId) {
    say(`“${label}” was left alone: it is at work again.`);
    return;
  }
  if (!(await openChat())) {
    return; // the CLI goes on
  }
  if (!(await end(now.pid, () => list.holderOf(now.sessionId) !== undefined))) {
    say(`“${label}” has not ended. End it in its terminal, then continue with it from Past Sessions.`);
    return;
  }
  await ask(now.sessionId);
}

/** The process of a session that waits for a prompt, as its own file says; the number alone is only what a client claims. */
async function idleProcess(
  { records }: PastSurroundings,
  session: Session,
): Promise<{ readonly pid: number; readonly sessionId: string } | undefined> {
  await records.look(session);
  const sessionId = records.of(session)?.sessionId;
  const file = (await records.open())?.sessionFiles.get(session.pid ?? 0);
  return file?.sessionId === sessionId && records.stateOf(session)?.status === 'idle' ? file : undefined;
}

/** @param isHeld whether it is still known to have the conversation @returns whether it has ended */
async function end(pid: number, isHeld: () => boolean): Promise<boolean> {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // it has ended by itself
  }
  const until = performance.now() + endTime;
  const isThere = () => isAlive(pid) || isHeld();
  while (isThere() && performance.now() < until) {
    await sleep(50);
  }
  return !isThere();
}

/** Opens a new thread. @returns false where the editor has its chat switched off, and says so */
async function openChat(): Promise<boolean> {
  const { executeCommand } = vscode.commands;
  try {
    await executeCommand('workbench.action.chat.open');
    await executeCommand('workbench.action.chat.newChat');
    return true;
  } catch {
    say('The chat of this editor is switched off.');
    return false;
  }
}

/** By its id: whatever else were in the query would be taken for a name of the chat's. */
async function ask(sessionId: string): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.chat.open', {
    query: `@claude /resume ${sessionId}`,
  });
}

function say(words: string): void {
  void vscode.window.showInformationMessage(words);
}
