import * as vscode from 'vscode';
import { setContext } from '../editor/setContext.ts';
import { counted } from '../base/text.ts';
import type { Proposals } from './proposals.ts';
import type { Proposal } from './proposal.ts';
import { isReviewingAll, proposedSides } from './proposalTabs.ts';
import { commandIds } from '../editor/commandIds.ts';
import { StatusItem } from '../editor/statusItem.ts';

/** Shows that proposals wait behind what the user works on. A click, or the key, goes to the next. */
export class ProposalStatus implements vscode.Disposable {
  private readonly item = new StatusItem(
    'ideBridge.proposals',
    100.001,
    'Proposals of Claude Code',
    commandIds.openProposal,
  );
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly proposals: Proposals) {
    this.subscriptions = vscode.Disposable.from(
      proposals.onDidChange(() => {
        setContext('ideBridge.hasProposals', proposals.all.length > 0);
        this.update();
      }),
      vscode.window.tabGroups.onDidChangeTabs(() => this.update()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.update()),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()), // in a multi-diff
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.item.dispose();
  }

  private update(): void {
    const { all, active } = this.proposals;
    const isReviewing = isReviewingAll();
    // For its title; and what the keys' `resourceScheme` does not tell there.
    setContext('ideBridge.showsReviewAll', isReviewing);
    const inReviewAll = isReviewing && active !== undefined;
    setContext('ideBridge.inReviewAll', inReviewAll);
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    const inFront = isReviewing && activeTab ? proposedSides(activeTab).map(String) : [];
    const isInFront = (proposal: Proposal) =>
      proposal === active || inFront.includes(proposal.uri.toString());
    const waiting = all.filter((proposal) => !isInFront(proposal)).length;
    const tooltip = `${counted(waiting, 'proposed change waits', 'proposed changes wait')} for you: click to go there (Shift+Alt+K).`;
    this.item.tell(waiting > 0 ? { text: `$(diff) ${counted(waiting, 'proposal')}`, tooltip } : undefined);
  }
}
