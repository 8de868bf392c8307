import * as vscode from 'vscode';
import { counted } from '../base/text.ts';
import type { Proposals } from './proposals.ts';
import { commandIds } from '../editor/commandIds.ts';

/** Shows that proposals wait behind what the user works on. A click, or the key, goes to the next. */
export class ProposalStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'ideBridge.proposals',
    vscode.StatusBarAlignment.Right,
    100.001,
  );
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly proposals: Proposals) {
    this.item.name = 'Proposals of Claude Code';
    this.item.command = commandIds.openProposal;
    this.subscriptions = vscode.Disposable.from(
      proposals.onDidChange(() => {
        void vscode.commands.executeCommand('setContext', 'ideBridge.hasProposals', proposals.all.length > 0);
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
    const waiting = all.filter((proposal) => proposal !== active).length;
    this.item.text = `$(diff) ${counted(waiting, 'proposal')}`;
    this.item.tooltip = `${counted(waiting, 'proposed change waits', 'proposed changes wait')} for you: click to go there (Shift+Alt+K).`;
    this.item.accessibilityInformation = { label: `Claude Code: ${this.item.tooltip}`, role: 'button' };
    this.item[waiting > 0 ? 'show' : 'hide']();
  }
}
