import * as vscode from 'vscode';
import { counted } from '../base/text.ts';
import type { ReviewSection } from '../editor/reviewTree.ts';
import { Proposer } from '../server/proposer.ts';
import type { Hunks } from './hunks.ts';
import { Proposal } from './proposal.ts';
import type { ProposalRows } from './proposalRows.ts';
import type { Proposals } from './proposals.ts';

export interface TerminalsOfSessions {
  /** Undefined where it is not known. */
  terminalOf(session: Proposer): vscode.Terminal | undefined;
  readonly onDidChange: vscode.Event<unknown>;
}

/** What waits for a decision. */
export class ProposalsSection implements ReviewSection<Proposer | Proposal>, vscode.Disposable {
  readonly id = 'proposals';
  readonly label = 'Waiting for You';
  rows: ProposalRows | undefined;
  private readonly changed = new vscode.EventEmitter<Proposal | undefined>();
  private readonly subscriptions: vscode.Disposable;

  readonly onDidChange = this.changed.event;

  constructor(
    private readonly proposals: Proposals,
    private readonly hunks: Hunks,
    private readonly terminals: TerminalsOfSessions,
  ) {
    const update = () => this.changed.fire(undefined);
    this.subscriptions = vscode.Disposable.from(
      this.changed,
      proposals.onDidChange(update),
      terminals.onDidChange(update),
      hunks.onDidChange((proposal) => this.changed.fire(proposal)),
    );
  }

  get isEmpty(): boolean {
    return this.proposals.all.length === 0;
  }

  get left(): string | undefined {
    return this.isEmpty ? undefined : counted(this.proposals.all.length, 'proposal');
  }

  get badge(): vscode.ViewBadge | undefined {
    const value = this.proposals.all.length;
    const tooltip = `${counted(value, 'proposed change waits', 'proposed changes wait')} for you`;
    return value === 0 ? undefined : { value, tooltip };
  }

  has(row: object): row is Proposer | Proposal {
    return row instanceof Proposal || row instanceof Proposer;
  }

  async load(): Promise<ProposalRows> {
    const { ProposalRows } = await import('./proposalRows.ts');
    return (this.rows ??= new ProposalRows(this.proposals, this.hunks, this.terminals, this.changed));
  }

  dispose(): void {
    this.subscriptions.dispose();
  }
}
