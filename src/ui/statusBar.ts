import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Mentions } from '../mentions/mentions.ts';
import type { WaitingReasons } from '../mentions/waitingReasons.ts';
import type { Attention } from '../sessions/attention.ts';
import type { SessionStates, StateWords } from '../sessions/sessionStates.ts';
import { commandIds } from '../editor/commandIds.ts';
import { StatusItem, type StatusText } from '../editor/statusItem.ts';

/** One glance: does the bridge run, and is somebody connected? A click opens the menu. */
export class StatusBar implements vscode.Disposable {
  private readonly item = new StatusItem(
    'ideBridge.status',
    100,
    'IDE Bridge for Claude Code',
    commandIds.showMenu,
  );
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly bridge: Bridge,
    private readonly attention: Attention,
    private readonly states: SessionStates,
    private readonly mentions: Mentions,
    private readonly reasons: WaitingReasons,
  ) {
    const update = () => this.update();
    this.subscription = vscode.Disposable.from(
      states.onDidChange(update),
      mentions.onDidChange(update),
      reasons.onDidChange(update),
    );
    update();
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private update(): void {
    const { bridge, attention, states, mentions, reasons } = this;
    this.item.tell(describe(bridge, attention, states, waiting(mentions, reasons)));
  }
}

/** Of each that waits, what for. */
function waiting(mentions: Mentions, reasons: WaitingReasons): { count: number; lines: string[] } {
  const { waiting: forSession, waitingForPrompt } = mentions;
  const wait = (count: number, what: string) =>
    count > 0 ? [`${counted(count, 'mention waits', 'mentions wait')} for the ${what}.`] : [];
  const lines = [
    ...wait(forSession, 'next Claude Code session that connects'),
    ...wait(waitingForPrompt, `prompt of ${waitingForPrompt > 1 ? 'their' : 'its'} session`),
    ...reasons.all.map(({ name, label }) => `Your ${name} waits for the prompt of ${label}.`),
  ];
  return { count: forSession + waitingForPrompt + reasons.all.length, lines };
}

/** Of proposals an item of their own tells. */
function waitingText(number: number, kind: StateWords['kind']): string | undefined {
  switch (kind) {
    case 'asks':
      return counted(number, 'asks', 'ask');
    case 'calls':
      return counted(number, 'waits', 'wait');
    case 'done':
      return `${number} done`;
    default:
      return undefined;
  }
}

function describe(
  { state, sessions }: Bridge,
  { unseen }: Attention,
  states: SessionStates,
  { count, lines }: ReturnType<typeof waiting>,
): StatusText {
  const waitingSessions = states.waiting;
  const { absent } = states;
  const lost = absent.filter(({ isLost }) => isLost).length;
  const others = [count > 0 && `${count} waiting`, lost > 0 && `${lost} not connected`];
  const otherLines = [...lines, ...absent.map(({ label, text }) => `${printable(label)}: ${text}`)];
  const [first] = waitingSessions;
  if (first) {
    const { kind, icon } = first.state;
    const number = waitingSessions.filter((other) => other.state.kind === kind).length;
    const told = waitingText(number, kind);
    const parts = [sessions.size > 1 || !told ? sessions.size : undefined, told, ...others];
    return {
      text: `$(${icon}) Claude: ${parts.filter(Boolean).join(', ')}`,
      tooltip: [
        ...waitingSessions.map(({ session, state: { text } }) => `${printable(session.label)}: ${text}`),
        ...otherLines,
      ].join('\n'),
      // What is in view needs no colour, nor what needs no answer.
      ...(unseen > 0 && kind !== 'done' && { color: 'statusBarItem.warningBackground' }),
    };
  }
  switch (state.kind) {
    case 'stopped':
      return vscode.workspace.isTrusted
        ? { text: '$(debug-disconnect) Claude', tooltip: 'The bridge is stopped.' }
        : {
            text: '$(shield) Claude',
            tooltip: 'Off in Restricted Mode: trust this workspace to let Claude Code in.',
          };
    case 'starting':
      return { text: '$(loading~spin) Claude', tooltip: 'The bridge is starting.' };
    case 'failed':
      return {
        text: '$(error) Claude',
        tooltip: state.error.message,
        color: 'statusBarItem.errorBackground',
      };
    case 'listening': {
      const counts = [sessions.size, ...others].filter(Boolean).join(', ');
      const icon =
        lost > 0 ? 'debug-disconnect' : count > 0 ? 'mention' : sessions.size > 0 ? 'check' : 'plug';
      return {
        text: `$(${icon}) Claude${counts && `: ${counts}`}`,
        tooltip: [
          sessions.size > 0
            ? `${counted(sessions.size, 'Claude Code session')} connected.`
            : otherLines.length === 0 &&
              `Waiting for Claude Code on port ${state.port}. Run claude in a terminal of this window.`,
          ...otherLines,
        ]
          .filter(Boolean)
          .join('\n'),
      };
    }
  }
}
