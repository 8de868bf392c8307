import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import { describeMentions, type Mentions } from '../mentions/mentions.ts';
import { kindOf, type WaitingReasons } from '../mentions/waitingReasons.ts';
import type { Proposal } from '../proposals/proposal.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Session } from '../server/session.ts';
import type { AbsentCli, SessionStates, StateWords } from '../sessions/sessionStates.ts';
import { commandIds } from '../editor/commandIds.ts';
import { withoutIcons } from '../editor/plainLabel.ts';

interface Item extends vscode.QuickPickItem {
  act: () => unknown;
}

export async function showMenu(
  bridge: Bridge,
  states: SessionStates,
  mentions: Mentions,
  reasons: WaitingReasons,
): Promise<void> {
  const run = (command: string) => () => vscode.commands.executeCommand(command);
  const waitingMentions = mentions.waiting + mentions.waitingForPrompt;
  const waitingReasons = reasons.all;
  const waitingKind = `Waiting ${kindOf(waitingReasons)}`;
  const { waitingForWord, lastSent } = mentions;
  const waiting: Item[] = [
    waitingForWord.length > 0 && {
      label: '$(mention) Send Waiting Mentions Now',
      detail: `${waitingForWord.map(({ label }) => label).join(', ')} does not tell whether its prompt is there`,
      act: () => waitingForWord.forEach((session) => mentions.sendNow(session)),
    },
    lastSent && {
      label: `$(mention) Send ${describeMentions(lastSent.mentions)} Again`,
      detail: `If it is not in the prompt of ${lastSent.session.label}`,
      act: () => mentions.send(lastSent.session, lastSent.mentions),
    },
    waitingReasons.length > 0 && {
      label: `$(copy) Copy ${counted(waitingReasons.length, waitingKind)}`,
      act: () => vscode.env.clipboard.writeText(waitingReasons.map(({ words }) => words).join('\n')),
    },
    waitingReasons.length > 0 && {
      label: `$(trash) Discard ${counted(waitingReasons.length, waitingKind)}`,
      act: () => reasons.discard(),
    },
    waitingMentions > 0 && {
      label: `$(trash) Discard ${counted(waitingMentions, 'Waiting Mention')}`,
      act: () => mentions.discard(),
    },
  ].filter((item) => item !== false && item !== undefined);
  const restart = {
    label: '$(debug-restart) Restart Bridge',
    detail: 'Disconnects every session',
    act: run(commandIds.restart),
  };
  const { isTrusted } = vscode.workspace;
  const failure = bridge.state.kind === 'failed' ? bridge.state.error.message : undefined;
  const items: Item[] = [
    ...(failure === undefined ? [] : [{ ...restart, detail: withoutIcons(printable(failure)) }]),
    ...(isTrusted
      ? []
      : [
          {
            label: '$(shield) Manage Workspace Trust',
            detail: 'The bridge is off in Restricted Mode, and Claude Code does not run',
            act: run(commandIds.manageTrust),
          },
        ]),
    ...states.waiting.map(({ session, state }) => show(session, state, states.proposalsOf(session))),
    ...states.absent.filter(({ isLost }) => isLost).map(reconnect),
    ...(isTrusted ? [{ label: '$(terminal) Run Claude Code', act: run(commandIds.run) }] : []),
    ...waiting,
    {
      label: '$(pulse) Doctor',
      detail: 'What keeps a CLI from connecting',
      act: run(commandIds.doctor),
    },
    { label: '$(output) Show Log', act: run(commandIds.showLog) },
    {
      label: '$(copy) Copy Connection Info',
      detail: 'Without the token',
      act: run(commandIds.copyConnectionInfo),
    },
    ...(isTrusted && failure === undefined ? [restart] : []),
  ];
  const [connection = ''] = connectionInfo(bridge); // all of it would be cut off
  const picked = await vscode.window.showQuickPick(items, {
    title: 'IDE Bridge for Claude Code',
    placeHolder: connection,
  });
  await picked?.act();
}

/** Goes to what a session waits with. */
function show(session: Session, { icon, text }: StateWords, [proposal, ...others]: Proposal[]): Item {
  const details = proposal && others.length === 0 ? `${text}: ${proposal.fileName}` : text;
  return {
    label: `$(${icon}) Show ${withoutIcons(printable(session.label))}`,
    detail: withoutIcons(details),
    act: () =>
      proposal
        ? vscode.commands.executeCommand(commandIds.openProposal, proposal)
        : vscode.commands.executeCommand(commandIds.showSession, session),
  };
}

function reconnect({ label, pid }: AbsentCli): Item {
  return {
    label: `$(debug-disconnect) Reconnect ${withoutIcons(printable(label))}`,
    detail: 'Shows its terminal, where you type /ide',
    act: () => vscode.commands.executeCommand(commandIds.reconnect, pid),
  };
}

export async function copyConnectionInfo(bridge: Bridge): Promise<void> {
  await vscode.env.clipboard.writeText(connectionInfo(bridge).join('\n'));
  vscode.window.setStatusBarMessage('Connection info copied, without the token.', 3_000);
}

/** Fit to paste into a bug report. */
function connectionInfo({ state, sessions, lockFilePath }: Bridge): string[] {
  switch (state.kind) {
    case 'listening':
      return [
        `Port ${state.port}`,
        `Lock file ${lockFilePath}`,
        ...(sessions.size === 0 ? ['No session'] : []),
        ...[...sessions].map(
          ({ id, pid, clientInfo }) =>
            `Session ${id}: ${clientInfo?.name} ${clientInfo?.version}, process ${pid ?? '?'}`,
        ),
      ];
    case 'failed':
      return [state.error.message];
    case 'starting':
    case 'stopped':
      return [`The bridge is ${state.kind}`];
  }
}
