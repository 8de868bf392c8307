import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { counted } from '../base/text.ts';
import { printable } from '../base/printable.ts';
import type { Hunks } from './hunks.ts';
import { Proposal } from './proposal.ts';
import type { Proposals } from './proposals.ts';
import type { Proposer } from '../server/proposer.ts';
import { Session } from '../server/session.ts';
import { commandIds } from '../editor/commandIds.ts';
import { fileIcon } from '../editor/fileIcon.ts';
import { RowMoves } from '../editor/rowMoves.ts';

export interface TerminalsOfSessions {
  /** Undefined where it is not known. */
  terminalOf(session: Proposer): vscode.Terminal | undefined;
  readonly onDidChange: vscode.Event<unknown>;
}

/** The tree of what waits for a decision: session → file. */
export class ProposalsView implements vscode.TreeDataProvider<Proposer | Proposal>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Proposal | undefined>();
  private readonly view: vscode.TreeView<Proposer | Proposal>;
  private readonly rows = new RowMoves();
  /** Added and removed lines, as they were last counted. */
  private readonly counts = new WeakMap<Proposal, string>();
  private readonly subscriptions: vscode.Disposable;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly proposals: Proposals,
    private readonly hunks: Hunks,
    private readonly terminals: TerminalsOfSessions,
  ) {
    this.view = vscode.window.createTreeView('ideBridge.proposals', { treeDataProvider: this });
    this.subscriptions = vscode.Disposable.from(
      proposals.onDidChange(() => this.update()),
      terminals.onDidChange(() => this.update()),
      hunks.onDidChange((proposal) => this.changed.fire(proposal)),
    );
  }

  getChildren(element?: Proposer | Proposal): (Proposer | Proposal)[] {
    const { all } = this.proposals;
    if (element === undefined) {
      return [...new Set(all.map(({ session }) => session))];
    }
    return element instanceof Proposal ? [] : all.filter(({ session }) => session === element);
  }

  getTreeItem(element: Proposer | Proposal): vscode.TreeItem {
    return element instanceof Proposal ? this.fileItem(element) : this.sessionItem(element);
  }

  /** Whether a click on its row may be meant for another. */
  refuseClick(element: Proposer | Proposal): boolean {
    return this.rows.refuseClick(rowOf(element));
  }

  dispose(): void {
    vscode.Disposable.from(this.subscriptions, this.view, this.changed).dispose();
  }

  private update(): void {
    const value = this.proposals.all.length;
    const tooltip = `${counted(value, 'proposed change waits', 'proposed changes wait')} for you`;
    this.view.badge = value === 0 ? undefined : { value, tooltip };
    this.rows.drawn(
      this.getChildren().flatMap((session) => [session, ...this.getChildren(session)].map(rowOf)),
    );
    this.changed.fire(undefined);
  }

  private sessionItem(session: Proposer): vscode.TreeItem {
    const item = new vscode.TreeItem(session.label, vscode.TreeItemCollapsibleState.Expanded);
    item.id = rowOf(session);
    item.iconPath = new vscode.ThemeIcon(session instanceof Session ? 'terminal' : 'comment-discussion');
    item.contextValue = 'session';
    return item;
  }

  /** The row comes first, its counts after: a long file takes its time to compare. */
  private async count(proposal: Proposal): Promise<void> {
    const hunks = await this.hunks.of(proposal);
    const added = hunks.reduce((sum, { nowStart, nowEnd }) => sum + nowEnd - nowStart, 0);
    const removed = hunks.reduce((sum, { beforeStart, beforeEnd }) => sum + beforeEnd - beforeStart, 0);
    const note = this.hunks.isOnlyWhitespace(proposal) ? ', only whitespace' : '';
    const counted = `+${added} −${removed}${note}`;
    if (this.proposals.find(proposal.uri) && this.counts.get(proposal) !== counted) {
      this.counts.set(proposal, counted);
      this.changed.fire(proposal);
    }
  }

  private fileItem(proposal: Proposal): vscode.TreeItem {
    const { filePath, fileName, target, isOverUnsavedChanges, base } = proposal;
    void this.count(proposal);
    const counts = this.counts.get(proposal);
    const marks = [
      ...(target === 'new file' ? ['new'] : []),
      ...(counts ? [counts] : []),
      ...(isOverUnsavedChanges ? ['unsaved changes'] : []),
      ...(base.isOutdated ? ['older text'] : []),
    ];
    const item = new vscode.TreeItem(fileName);
    item.id = rowOf(proposal);
    const folder = printable(dirname(vscode.workspace.asRelativePath(filePath)));
    item.description = [...marks, ...(folder === '.' ? [] : [folder])].join(' · ');
    const older = base.isOutdated ? '\nMade for an older text: the file has changed since' : '';
    item.tooltip = `${printable(filePath, 1_000)}\n${marks.join(', ')}${older}`;
    item.resourceUri = fileIcon(filePath);
    item.iconPath = vscode.ThemeIcon.File;
    // An agent of the editor's own is told a reason without one.
    const takesReason = !(proposal.session instanceof Session) || this.terminals.terminalOf(proposal.session);
    item.contextValue = takesReason ? 'proposal.terminal' : 'proposal';
    item.command = { title: 'Open', command: commandIds.openProposal, arguments: [proposal] };
    return item;
  }
}

/** What tells it apart from the others. */
export function rowOf(element: Proposer | Proposal): string {
  return element instanceof Proposal ? element.uri.toString() : `session ${element.id}`;
}
