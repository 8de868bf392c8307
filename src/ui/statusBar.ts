import * as vscode from 'vscode';
import { counted } from '../base/text.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Mentions } from '../mentions/mentions.ts';
import type { Attention } from '../sessions/attention.ts';
import { commandIds } from '../editor/commandIds.ts';

/** One glance: does the bridge run, and is somebody connected? A click opens the menu. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'ideBridge.status',
    vscode.StatusBarAlignment.Right,
    100,
  );
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly bridge: Bridge,
    private readonly attention: Attention,
    private readonly mentions: Mentions,
  ) {
    this.item.name = 'IDE Bridge for Claude Code';
    this.item.command = commandIds.showMenu;
    this.subscription = vscode.Disposable.from(
      bridge.onDidChangeState(() => this.update()),
      attention.onDidChange(() => this.update()),
      mentions.onDidChange(() => this.update()),
    );
    this.update();
    this.item.show();
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private update(): void {
    const { text, tooltip, color } = describe(this.bridge, this.attention, this.mentions);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `Claude Code: ${tooltip}`, role: 'button' };
    this.item.backgroundColor = color === undefined ? undefined : new vscode.ThemeColor(color);
  }
}

interface Description {
  text: string;
  tooltip: string;
  /** Of the background. */
  color?: string;
}

function describe({ state, sessions }: Bridge, { unseen }: Attention, { waiting }: Mentions): Description {
  if (unseen > 0) {
    return {
      text: `$(bell-dot) Claude: ${sessions.size}`,
      tooltip: `${counted(unseen, 'Claude Code session waits', 'Claude Code sessions wait')} for you.`,
      color: 'statusBarItem.warningBackground',
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
    case 'listening':
      if (waiting > 0) {
        return {
          text: `$(mention) Claude: ${waiting} waiting`,
          tooltip: `${counted(waiting, 'mention waits', 'mentions wait')} for the next Claude Code session that connects.`,
        };
      }
      return sessions.size === 0
        ? {
            text: '$(plug) Claude',
            tooltip: `Waiting for Claude Code on port ${state.port}. Run claude in a terminal of this window.`,
          }
        : {
            text: `$(check) Claude: ${sessions.size}`,
            tooltip: `${counted(sessions.size, 'Claude Code session')} connected.`,
          };
  }
}
