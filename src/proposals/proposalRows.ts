import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { linesText } from '../base/text.ts';
import { commandIds } from '../editor/commandIds.ts';
import type { ReviewRows } from '../editor/reviewTree.ts';
import { fileIcon, RowLooks } from '../editor/rowLooks.ts';
import type { Proposer } from '../server/proposer.ts';
import { Session } from '../server/session.ts';
import type { Hunks } from './hunks.ts';
import { Proposal } from './proposal.ts';
import type { Proposals } from './proposals.ts';
import type { TerminalsOfSessions } from './proposalsSection.ts';

type Row = Proposer | Proposal;

/** Session → file. */
export class ProposalRows implements ReviewRows<Row> {
  /** Added and removed lines, as they were last counted. */
  private readonly counts = new WeakMap<Proposal, string>();
  private readonly looks = new RowLooks();

  constructor(
    private readonly proposals: Proposals,
    private readonly hunks: Hunks,
    private readonly terminals: TerminalsOfSessions,
    /** Draws a row anew. */
    private readonly changed: vscode.EventEmitter<Proposal | undefined>,
  ) {}

  get names(): string[] {
    return this.all().map((row) => this.nameOf(row));
  }

  nameOf(row: Row): string {
    return row instanceof Proposal ? row.uri.toString() : `session ${row.id}`;
  }

  draw(row?: Row): Row[] {
    const { all } = this.proposals;
    if (row === undefined) {
      return [...new Set(all.map(({ session }) => session))];
    }
    return row instanceof Proposal ? [] : all.filter(({ session }) => session === row);
  }

  /** A long file takes its time to compare: not before the row is asked for, which then comes first. */
  itemOf(row: Row): vscode.TreeItem {
    if (row instanceof Proposal) {
      void this.count(row);
    }
    return this.look(row);
  }

  parentOf(row: Row): Row | undefined {
    return row instanceof Proposal ? row.session : undefined;
  }

  beside(row: Row): () => Row | undefined {
    const files = this.draw().flatMap((session) => this.draw(session));
    const index = files.indexOf(row);
    const beside = files[index + 1] ?? files[index - 1];
    const isThere = (other: Row) => this.proposals.all.some((proposal) => proposal === other);
    return () => (beside && isThere(beside) && !isThere(row) ? beside : undefined);
  }

  drawn(): boolean {
    return this.looks.change(this.all().map((row) => [this.nameOf(row), this.look(row)]));
  }

  private all(): Row[] {
    return this.draw().flatMap((session) => [session, ...this.draw(session)]);
  }

  private look(row: Row): vscode.TreeItem {
    return row instanceof Proposal ? this.fileItem(row) : this.sessionItem(row);
  }

  private sessionItem(session: Proposer): vscode.TreeItem {
    const item = new vscode.TreeItem(session.label, vscode.TreeItemCollapsibleState.Expanded);
    item.id = this.nameOf(session);
    item.iconPath = new vscode.ThemeIcon(session instanceof Session ? 'terminal' : 'comment-discussion');
    item.contextValue = 'proposals.session';
    return item;
  }

  private async count(proposal: Proposal): Promise<void> {
    const hunks = await this.hunks.of(proposal);
    const added = hunks.reduce((sum, { nowStart, nowEnd }) => sum + nowEnd - nowStart, 0);
    const removed = hunks.reduce((sum, { beforeStart, beforeEnd }) => sum + beforeEnd - beforeStart, 0);
    const lines = linesText({ added, removed }) || 'no line differs';
    const counted = this.hunks.isOnlyWhitespace(proposal) ? `${lines}, only whitespace` : lines;
    if (this.proposals.find(proposal.uri) && this.counts.get(proposal) !== counted) {
      this.counts.set(proposal, counted);
      this.changed.fire(proposal);
    }
  }

  private fileItem(proposal: Proposal): vscode.TreeItem {
    const { filePath, fileName, target, isOverUnsavedChanges, base } = proposal;
    const counts = this.counts.get(proposal);
    const marks = [
      ...(target === 'new file' ? ['new'] : []),
      ...(counts ? [counts] : []),
      ...(isOverUnsavedChanges ? ['unsaved changes'] : []),
      ...(base.isOutdated ? ['older text'] : []),
    ];
    const item = new vscode.TreeItem(fileName);
    item.id = this.nameOf(proposal);
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
