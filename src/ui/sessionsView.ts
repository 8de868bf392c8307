import { basename } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import { Throttle } from '../base/throttle.ts';
import { Proposal } from '../proposals/proposal.ts';
import { rowOf } from '../proposals/proposalsView.ts';
import { kindOf, type WaitingReasons } from '../mentions/waitingReasons.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { AbsentCli, SessionStates, StateWords } from '../sessions/sessionStates.ts';
import { promptText, toolText } from '../sessions/stateText.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import type { Bridge } from '../server/bridge.ts';
import { Session } from '../server/session.ts';
import type { AgentChanges } from '../changes/agentChanges.ts';
import type { Attention } from '../sessions/attention.ts';
import { commandIds } from '../editor/commandIds.ts';
import { fileIcon } from '../editor/fileIcon.ts';
import { RowMoves } from '../editor/rowMoves.ts';

type Node = Session | Proposal | AbsentCli;

interface SessionsViewDependencies {
  bridge: Bridge;
  agentChanges: AgentChanges;
  sessionTerminals: SessionTerminals;
  attention: Attention;
  states: SessionStates;
  records: SessionRecords;
  waitingReasons: WaitingReasons;
}

/** Every CLI with what it is at, and below it the proposals that wait for a decision. */
export class SessionsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<Node>;
  /**
   * A session that connects brings several changes within milliseconds. VS Code 1.96 answers a click with an error while
   * a view is drawn, so that it is drawn once for all of them.
   */
  private readonly redraw = new Throttle(50, () => this.draw());
  private readonly rows = new RowMoves();
  private readonly subscription: vscode.Disposable;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly dependencies: SessionsViewDependencies) {
    const { agentChanges, states, waitingReasons } = dependencies;
    this.view = vscode.window.createTreeView('ideBridge.sessions', { treeDataProvider: this });
    const update = () => this.update();
    this.subscription = vscode.Disposable.from(
      this.view,
      this.redraw,
      this.changed,
      states.onDidChange(update),
      agentChanges.changes.onDidChange(update),
      waitingReasons.onDidChange(update),
    );
  }

  getChildren(node?: Node): Node[] {
    const { bridge, states } = this.dependencies;
    if (!node) {
      return [...[...bridge.sessions].filter(({ clientInfo }) => clientInfo), ...states.absent];
    }
    return node instanceof Session ? states.proposalsOf(node) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node instanceof Session
      ? this.sessionItem(node)
      : node instanceof Proposal
        ? proposalItem(node)
        : absentItem(node);
  }

  /** Whether a click on its row may be meant for another. */
  refuseClick(session: Session): boolean {
    return this.rows.refuseClick(rowOf(session));
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private draw(): void {
    const nodes = this.getChildren().flatMap((node) => [node, ...this.getChildren(node)]);
    this.rows.drawn(
      nodes.flatMap((node) => (node instanceof Session || node instanceof Proposal ? rowOf(node) : [])),
    );
    this.changed.fire();
  }

  private update(): void {
    const { attention, states } = this.dependencies;
    const words = [...attention.asking].map((session) => `${session.label}: ${states.of(session).text}`);
    const tooltip = words.join('\n');
    this.view.badge = words.length === 0 ? undefined : { value: words.length, tooltip };
    this.redraw.schedule();
  }

  /** What is known of it, for all sessions. */
  private each<T>(property: (session: Session) => T | undefined): Set<T> {
    return new Set([...this.dependencies.bridge.sessions].flatMap((session) => property(session) ?? []));
  }

  private sessionItem(session: Session): vscode.TreeItem {
    const { agentChanges, sessionTerminals, states, waitingReasons } = this.dependencies;
    const { label, clientInfo, pid } = session;
    const folder = sessionTerminals.folderOf(session);
    const reasons = waitingReasons.all.filter((reason) => reason.pid === pid);
    const kind = kindOf(reasons).toLowerCase();
    const hasTerminal = sessionTerminals.terminalOf(session) !== undefined;
    const { kind: state, icon, text } = states.of(session);
    const { None, Expanded } = vscode.TreeItemCollapsibleState;
    const hasChildren = states.proposalsOf(session).length > 0;
    const item = new vscode.TreeItem(label, hasChildren ? Expanded : None);
    // Two ids: the editor would keep an item closed that had no children when it was first shown.
    item.id = `session ${session.id}${hasChildren ? ' with proposals' : ''}`;
    item.iconPath = new vscode.ThemeIcon(icon, iconColor(state));
    const changed = agentChanges.changes.ofProcess(pid).length;
    const { mode = 'default', turn } = this.dependencies.records.of(session) ?? {};
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
    const recorded = this.dependencies.records.of(session);
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

function absentItem({ pid, label, text, isLost }: AbsentCli): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = `absent ${pid}`;
  item.description = text;
  item.iconPath = new vscode.ThemeIcon(isLost ? 'debug-disconnect' : 'loading~spin');
  if (isLost) {
    item.command = { command: commandIds.reconnect, title: 'Reconnect', arguments: [pid] };
  }
  return item;
}

function proposalItem(proposal: Proposal): vscode.TreeItem {
  const { uri, filePath, fileName, target } = proposal;
  const item = new vscode.TreeItem(fileName);
  item.id = uri.toString();
  item.resourceUri = fileIcon(filePath);
  item.iconPath = vscode.ThemeIcon.File;
  item.tooltip = `Proposed ${target === 'new file' ? 'new file' : 'edit'}: ${filePath}`;
  item.command = { command: commandIds.openProposal, title: 'Open', arguments: [proposal] };
  return item;
}
