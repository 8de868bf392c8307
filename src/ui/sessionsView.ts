import * as vscode from 'vscode';
import { Throttle } from '../base/throttle.ts';
import type { ChatFeature } from '../chat/feature.ts';
import type { ChatSession } from '../chat/chatSessions.ts';
import type { WaitingReasons } from '../mentions/waitingReasons.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { AbsentCli, SessionStates } from '../sessions/sessionStates.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import type { Bridge } from '../server/bridge.ts';
import { Session } from '../server/session.ts';
import type { AgentChanges } from '../changes/agentChanges.ts';
import type { Attention } from '../sessions/attention.ts';
import { RowMoves } from '../editor/rowMoves.ts';
import { spoken } from '../editor/spokenRow.ts';
import type { CallNode } from '../editorTools/callRows.ts';
import type { EditorToolsFeature } from '../editorTools/feature.ts';
import type { PastFeature } from '../past/feature.ts';
import type { PastNode } from '../past/pastNodes.ts';
import type { SessionItems } from './sessionItems.ts';

export type SessionNode = Session | ChatSession | AbsentCli | CallNode | PastNode;

/** What the view tells of. */
export interface SessionsAround {
  bridge: Bridge;
  agentChanges: AgentChanges;
  sessionTerminals: SessionTerminals;
  attention: Attention;
  states: SessionStates;
  records: SessionRecords;
  waitingReasons: WaitingReasons;
  chat: Pick<ChatFeature, 'sessions' | 'onDidChangeSessions'>;
  editorTools: Pick<EditorToolsFeature, 'loaded' | 'onDidChangeCalls'>;
  past: PastFeature;
}

/** Every CLI, every conversation of the chat and client of the editor tools, with what it is at; and what was held before. */
export class SessionsView implements vscode.TreeDataProvider<SessionNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<SessionNode>;
  /**
   * A session that connects brings several changes within milliseconds. VS Code 1.96 answers a click with an error while
   * a view is drawn, so that it is drawn once for all of them.
   */
  private readonly redraw = new Throttle(50, () => this.draw());
  private readonly rows = new RowMoves();
  /** There once the view was seen. */
  private items: SessionItems | undefined;
  private readonly subscription: vscode.Disposable;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly around: SessionsAround) {
    const { agentChanges, states, waitingReasons, chat, editorTools, past } = around;
    this.view = vscode.window.createTreeView('ideBridge.sessions', { treeDataProvider: this });
    const update = () => this.update();
    this.subscription = vscode.Disposable.from(
      this.view,
      this.redraw,
      this.changed,
      states.onDidChange(update),
      agentChanges.changes.onDidChange(update),
      waitingReasons.onDidChange(update),
      chat.onDidChangeSessions(update),
      editorTools.onDidChangeCalls(update),
      past.onDidChange(update),
      this.view.onDidChangeVisibility(update), // what is said of past ones is of some time ago
    );
  }

  async getChildren(group?: SessionNode): Promise<SessionNode[]> {
    const { SessionItems } = await import('./sessionItems.ts');
    this.items ??= new SessionItems(this.around);
    return group ? this.items.below(group) : this.items.top(this.nodes);
  }

  /** At once: until VS Code 1.96 has it, a click on the row of before is answered with an error. */
  getTreeItem(node: SessionNode): vscode.TreeItem {
    if (!this.items) {
      throw new Error('The editor has a row that it was not given.');
    }
    return spoken(this.items.of(node));
  }

  /** What is said of a row only once the user looks at it. */
  resolveTreeItem(item: vscode.TreeItem, node: SessionNode): vscode.ProviderResult<vscode.TreeItem> {
    return this.items?.resolve(item, node);
  }

  /** Whether a click on its row may be meant for another. */
  refuseClick(node: SessionNode): boolean {
    return this.rows.refuseClick(rowOf(node));
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private get nodes(): SessionNode[] {
    const { bridge, states, chat, editorTools } = this.around;
    const clis = [...bridge.sessions].filter(({ clientInfo }) => clientInfo);
    return [...clis, ...chat.sessions, ...states.absent, ...(editorTools.loaded?.calls.clients ?? [])];
  }

  private draw(): void {
    this.rows.drawn(this.nodes.map(rowOf));
    this.changed.fire();
  }

  private update(): void {
    const { attention, states, chat, editorTools } = this.around;
    const words = [
      ...[...attention.asking].map((session) => `${session.label}: ${states.of(session).text}`),
      ...chat.sessions.flatMap(({ label, state }) =>
        state.kind === 'asks' ? `${label}: ${state.text}` : [],
      ),
      ...(editorTools.loaded?.rows.questions ?? []),
    ];
    const tooltip = words.join('\n');
    this.view.badge = words.length === 0 ? undefined : { value: words.length, tooltip };
    this.redraw.schedule();
  }
}

/** What tells it apart from the others. */
export function rowOf(node: SessionNode): string {
  return node instanceof Session
    ? `session ${node.id}`
    : 'chatId' in node
      ? `chat ${node.chatId}`
      : 'past' in node || 'row' in node
        ? node.id
        : `absent ${node.pid}`;
}
