import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import type { ChatSession } from '../chat/chatSessions.ts';
import { commandIds } from '../editor/commandIds.ts';
import { workspaceFolderPaths } from '../editor/workspaceFolders.ts';
import type { CallRows } from '../editorTools/callRows.ts';
import { kindOf } from '../mentions/waitingReasons.ts';
import type { PastNode } from '../past/pastNodes.ts';
import { foldersOf, hasTranscript, projectFolders } from '../records/transcriptPlace.ts';
import { Session } from '../server/session.ts';
import type { AbsentCli, StateWords } from '../sessions/sessionStates.ts';
import { promptText, toolText } from '../sessions/stateText.ts';
import { rowOf, type SessionNode, type SessionsAround } from './sessionsView.ts';

/** How the sessions look in their view. */
export class SessionItems {
  /** How many rows stand above those of past sessions. */
  private above = 0;

  constructor(private readonly around: SessionsAround) {}

  of(node: SessionNode): vscode.TreeItem {
    const item =
      node instanceof Session
        ? this.ofSession(node)
        : 'chatId' in node
          ? chatItem(node)
          : 'past' in node
            ? this.ofPast(node)
            : 'row' in node
              ? this.callRows.item(node)
              : absentItem(node);
    item.id = rowOf(node);
    return item;
  }

  /** With the group of past sessions, where there may be any. */
  top(live: readonly SessionNode[]): SessionNode[] {
    const { records, past } = this.around;
    const { isOfAll } = past;
    const mayHavePast = records.isAllowed && hasPast(records.configDir, isOfAll);
    const clients = live.filter((node) => 'row' in node);
    // Without any row the view itself offers to run it.
    const offersRun = live.length === clients.length && (mayHavePast || clients.length > 0);
    const rows = [...(offersRun ? [{ past: 'run', id: 'past run' } as const] : []), ...live];
    const calls = clients.flatMap((client) => ('calls' in client ? client.calls : []));
    this.above = rows.length + calls.length + 1;
    return mayHavePast ? [...rows, { past: 'group', id: 'past group', isOfAll }] : rows;
  }

  /** What stands below that group, or below a client of the editor tools. */
  async below(group: SessionNode): Promise<SessionNode[]> {
    if ('calls' in group) {
      return [...group.calls];
    }
    return (await this.around.past.load()).rows.draw(this.above);
  }

  resolve(item: vscode.TreeItem, node: SessionNode): Promise<vscode.TreeItem> | undefined {
    return 'past' in node && node.past === 'session'
      ? this.around.past.past?.rows.resolve(item, node)
      : undefined;
  }

  private get callRows(): CallRows {
    const { loaded } = this.around.editorTools;
    if (!loaded) {
      throw new Error('The editor has a row that it was not given.');
    }
    return loaded.rows;
  }

  private ofPast(node: PastNode): vscode.TreeItem {
    if (node.past === 'run') {
      return runItem();
    }
    if (node.past === 'group') {
      return groupItem(node);
    }
    const { past } = this.around.past;
    if (!past) {
      throw new Error('The editor has a row that it was not given.');
    }
    return past.rows.item(node);
  }

  /** What is known of it, for all sessions. */
  private each<T>(property: (session: Session) => T | undefined): Set<T> {
    return new Set([...this.around.bridge.sessions].flatMap((session) => property(session) ?? []));
  }

  private ofSession(session: Session): vscode.TreeItem {
    const { agentChanges, sessionTerminals, states, waitingReasons } = this.around;
    const { label, clientInfo, pid } = session;
    const folder = sessionTerminals.folderOf(session);
    const reasons = waitingReasons.all.filter((reason) => reason.pid === pid);
    const kind = kindOf(reasons).toLowerCase();
    const hasTerminal = sessionTerminals.terminalOf(session) !== undefined;
    const { kind: state, icon, text } = states.of(session);
    const item = new vscode.TreeItem(label);
    item.iconPath = new vscode.ThemeIcon(icon, iconColor(state));
    const changed = agentChanges.changes.ofProcess(pid).length;
    const { mode = 'default', turn } = this.around.records.of(session) ?? {};
    const folders = this.each((other) => sessionTerminals.folderOf(other));
    const versions = this.each((other) => other.clientInfo?.version);
    // What tells it from the others; the prompt last, as it may be cut off.
    item.description = [
      text,
      mode !== 'default' && printable(mode, 40),
      reasons.length > 0 && counted(reasons.length, `${kind} waits`, `${kind}s wait`),
      changed > 0 && `${changed} changed`,
      folders.size > 1 && folder && basename(folder),
      versions.size > 1 && clientInfo?.version,
      turn && `“${promptText(turn.prompt)}”`,
    ]
      .filter(Boolean)
      .join(' · ');
    item.tooltip = [
      `${label}: ${text}`,
      ...this.details(session).filter((line) => line !== text),
      ...reasons.map(({ name }) => `Your ${name} waits for its prompt`),
      `${clientInfo?.name} ${clientInfo?.version}, process ${pid ?? 'unknown'}`,
      ...(folder === undefined ? [] : [folder]),
      hasTerminal ? 'Click to show its terminal' : 'Runs outside of the terminals of this window',
    ].join('\n');
    item.contextValue = 'session';
    item.command = { command: commandIds.showSession, title: 'Show Terminal', arguments: [session] };
    return item;
  }

  /** What the CLI's records tell besides, for the tooltip, which is plain text. */
  private details(session: Session): string[] {
    const recorded = this.around.records.of(session);
    if (!recorded) {
      return [];
    }
    const { turn, mode, model, contextTokens, state } = recorded;
    const asks = state?.status === 'waiting' ? state.asks.slice(0, 5) : [];
    return [
      ...asks.map((use) => `Asks: ${toolText(use, 200)}`),
      ...(turn ? [`Prompt: ${promptText(turn.prompt)}`] : []),
      ...(mode === undefined ? [] : [`Mode: ${printable(mode, 40)}`]),
      ...(model === undefined ? [] : [`Model: ${printable(model, 60)}`]),
      ...(contextTokens === undefined ? [] : [`Context: ${contextTokens.toLocaleString('en')} tokens`]),
    ];
  }
}

/** Whoever waits for an answer stands out. */
function iconColor(kind: StateWords['kind']): vscode.ThemeColor | undefined {
  switch (kind) {
    case 'asks':
    case 'proposes':
    case 'calls':
      return new vscode.ThemeColor('list.warningForeground');
    case 'done':
      return new vscode.ThemeColor('testing.iconPassed');
    case 'working':
    case 'idle':
      return undefined;
  }
}

function chatItem({ label, state: { kind, icon, text }, prompt, isFirst }: ChatSession): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.description = isFirst ? text : `${text} · “${prompt}”`;
  item.tooltip = `${label}: ${text}\nPrompt: ${prompt}\nClick to show the chat`;
  item.iconPath = new vscode.ThemeIcon(icon, iconColor(kind));
  item.contextValue = 'chat';
  item.command = { command: 'workbench.action.chat.open', title: 'Show the Chat' };
  return item;
}

/** In the place of what the view says while it is empty. */
function runItem(): vscode.TreeItem {
  const item = new vscode.TreeItem('Run Claude Code');
  item.description = 'no session is connected';
  item.tooltip = 'A claude that you start yourself in a terminal of this window connects too.';
  item.iconPath = new vscode.ThemeIcon('sparkle');
  item.command = { command: commandIds.run, title: 'Run Claude Code' };
  return item;
}

function groupItem({ isOfAll }: Extract<PastNode, { past: 'group' }>): vscode.TreeItem {
  const item = new vscode.TreeItem('Past Sessions', vscode.TreeItemCollapsibleState.Collapsed);
  item.description = isOfAll ? 'of all folders' : '';
  item.tooltip = isOfAll ? 'What was held in any folder' : 'What was held in the folders of this window';
  item.contextValue = isOfAll ? 'pastGroup.all' : 'pastGroup';
  return item;
}

function hasPast(configDir: string, isOfAll: boolean): boolean {
  const projects = join(configDir, 'projects');
  const folders = isOfAll
    ? projectFolders(projects)
    : workspaceFolderPaths().flatMap((folder) => foldersOf(projects, folder));
  return hasTranscript(folders);
}

function absentItem({ pid, label, text, isLost }: AbsentCli): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.description = text;
  item.iconPath = new vscode.ThemeIcon(isLost ? 'debug-disconnect' : 'loading~spin');
  if (isLost) {
    item.command = { command: commandIds.reconnect, title: 'Reconnect', arguments: [pid] };
  }
  return item;
}
