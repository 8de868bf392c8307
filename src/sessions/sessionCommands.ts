import * as vscode from 'vscode';
import { commandIds, thatAsks } from '../editor/commandIds.ts';
import type { SessionStates } from './sessionStates.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import type { Proposal } from '../proposals/proposal.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import { Session } from '../server/session.ts';
import { withoutIcons } from '../editor/plainLabel.ts';

export async function showSession(
  sessionTerminals: SessionTerminals,
  states: Pick<SessionStates, 'asking' | 'proposalsOf'>,
  userPlace: UserPlace,
  argument: unknown,
): Promise<void> {
  const session = argument === thatAsks ? states.asking : argument;
  if (argument === thatAsks && !session) {
    void vscode.window.showInformationMessage('No proposed change is open, and no session asks.');
    return;
  }
  await withSession(sessionTerminals, session, (each) =>
    show(sessionTerminals, userPlace, each, states.proposalsOf(each)[0]),
  );
}

/** @param proposal what it waits with, which can be shown where its terminal cannot */
export function show(
  sessionTerminals: SessionTerminals,
  userPlace: UserPlace,
  session: Session,
  proposal?: Proposal,
): void {
  const terminal = sessionTerminals.terminalOf(session);
  if (terminal) {
    userPlace.show(terminal);
    return;
  }
  const words = `${session.label} runs outside of the terminals of this window (process ${session.pid ?? 'unknown'}).`;
  const buttons = proposal ? ['Open Proposal'] : [];
  void vscode.window
    .showInformationMessage(words, ...buttons)
    .then((choice) =>
      choice === undefined ? undefined : vscode.commands.executeCommand(commandIds.openProposal, proposal),
    );
}

/** The session that a view passes as the argument of a command, or a notification by its id; or the only one; or the user's pick. */
export async function withSession(
  sessionTerminals: SessionTerminals,
  argument: unknown,
  act: (session: Session) => unknown,
): Promise<void> {
  const session =
    argument instanceof Session
      ? argument
      : typeof argument === 'number'
        ? sessionTerminals.sessions.find(({ id }) => id === argument)
        : await pickSession(sessionTerminals);
  if (session) {
    await act(session);
  }
}

/** The one that was used last comes first. */
export async function pickSession(sessionTerminals: SessionTerminals): Promise<Session | undefined> {
  const { sessions } = sessionTerminals;
  if (sessions.length === 0) {
    void import('../editor/tell.ts').then(({ tell }) =>
      tell('No Claude Code session is connected.', {
        title: 'Run Claude Code',
        command: commandIds.run,
      }),
    );
  }
  if (sessions.length < 2) {
    return sessions[0];
  }
  const items = sessions.map((session) => ({
    session,
    label: withoutIcons(session.label),
    description: sessionTerminals.folderOf(session) ?? '',
  }));
  return (await vscode.window.showQuickPick(items, { title: 'Claude Code Session' }))?.session;
}
