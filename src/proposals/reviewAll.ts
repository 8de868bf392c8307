import * as vscode from 'vscode';
import { Queue } from '../base/queue.ts';
import type { Proposal } from './proposal.ts';
import type { Proposals } from './proposals.ts';
import { isReviewOfAll, proposedSides } from './proposalTabs.ts';
import { allTabs } from '../editor/tabContent.ts';

export interface ReviewAll {
  open(): Promise<void>;
  /** What waits in it, while it is in front: others may have come since. */
  shown(): Proposal[];
}

/**
 * All that wait in one editor, to be decided in it one by one. VS Code shows there for good what it was opened with, so
 * for what is left after a decision it is opened anew.
 */
export class ReviewOfAll implements ReviewAll, vscode.Disposable {
  private readonly steps = new Queue();
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly proposals: Proposals) {
    const look = () => void this.steps.run(() => this.leaveOutDecided());
    this.subscriptions = vscode.Disposable.from(
      proposals.onDidChange(look),
      // Not while the user is elsewhere: it would come to the front.
      vscode.window.tabGroups.onDidChangeTabs(look),
    );
  }

  open(): Promise<void> {
    return this.steps.run(() => this.show(this.proposals.all));
  }

  shown(): Proposal[] {
    const tab = reviews().find(isInFront);
    return tab ? proposedSides(tab).flatMap((side) => this.proposals.find(side) ?? []) : [];
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private async leaveOutDecided(): Promise<void> {
    const tab = reviews().find(isInFront);
    const sides = tab ? proposedSides(tab) : [];
    const firstDecided = sides.findIndex((side) => !this.proposals.find(side));
    // The next one first, as the editor opens at its start.
    const inTurn = [...sides.slice(firstDecided), ...sides.slice(0, firstDecided)];
    const left = inTurn.flatMap((side) => this.proposals.find(side) ?? []);
    if (firstDecided >= 0 && left.length > 0) {
      await this.show(left);
    }
  }

  private async show(proposals: readonly Proposal[]): Promise<void> {
    const sessions = new Set(proposals.map(({ session }) => session.label));
    const title = `Proposals of ${[...sessions].join(' and ')}`; // the editor adds the number of files
    const changes = proposals.map(({ filePath, original, uri }) => [
      vscode.Uri.file(filePath),
      original,
      uri,
    ]);
    await vscode.commands.executeCommand('vscode.changes', title, changes);
    await vscode.commands.executeCommand('workbench.action.keepEditor'); // else the next file would replace it
    await vscode.window.tabGroups.close(
      reviews().filter((tab) => !isInFront(tab)),
      true,
    );
  }
}

function reviews(): vscode.Tab[] {
  return allTabs().filter(isReviewOfAll);
}

function isInFront({ isActive, group }: vscode.Tab): boolean {
  return isActive && group.isActive;
}
