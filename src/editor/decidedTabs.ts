import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Queue } from '../base/queue.ts';
import type { KeptVersions } from './keptVersions.ts';
import { type ProposalFiles, textOf } from './proposalFiles.ts';
import { isNotebook, proposedSides, shownProposals, tabsOf } from './proposalTabs.ts';

/** Closes the tabs of proposals for which nobody waits any more, without asking about what was typed there. */
export class DecidedTabs implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private readonly orphans = new Queue();

  constructor(
    private readonly files: ProposalFiles,
    private readonly versions: KeptVersions,
    private readonly isPending: (uri: vscode.Uri) => boolean,
    private readonly log: Logger,
  ) {
    this.subscription = vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
      closed.flatMap(proposedSides).forEach((uri) => this.forgetIfGone(uri));
      // The editor brings back what it has kept of an edited one, at times after we have closed its tab.
      opened.flatMap(proposedSides).forEach((uri) => void this.closeOrphan(uri));
    });
  }

  /** Closes what an earlier extension host has left behind. */
  async closeOrphans(): Promise<void> {
    await Promise.all(shownProposals().map((uri) => this.closeOrphan(uri)));
  }

  /**
   * Leaves a multi-diff open that shows others which are still under review.
   * @param isOrphan then a tab that cannot be saved is left, too: nobody has decided, and is to be asked
   */
  async close(uri: vscode.Uri, isOrphan = false): Promise<void> {
    const isDone = (tab: vscode.Tab) => proposedSides(tab).every((side) => !this.isPending(side));
    // Once more where an edit came in between: a dirty tab asks, and stays.
    for (let attempt = 0; attempt < 2; attempt++) {
      const done = tabsOf(uri).filter(isDone);
      if (done.length === 0) {
        break;
      }
      try {
        // Of a tab that is just being restored, the editor may answer late or never; until then it would ask.
        const saved = save(uri, done.some(isNotebook)).then(() => true);
        if ((await Promise.race([saved, delay(4_000, false)])) || (attempt > 0 && !isOrphan)) {
          await vscode.window.tabGroups.close(done, true);
        }
      } catch (error) {
        this.log.warn(`A decided diff could not be closed: ${errorMessage(error)}`);
      }
    }
    this.forgetIfGone(uri);
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** One after the other, and again: the editor brings back what it has kept of an edited one when it likes. */
  private closeOrphan(uri: vscode.Uri): Promise<void> {
    return this.orphans.run(async () => {
      let isKept = false;
      for (let attempt = 0; attempt < 5 && !this.isPending(uri) && tabsOf(uri).length > 0; attempt++) {
        const file = this.files.adopt(uri);
        await this.close(uri, true);
        if (file.bytes.length > 0 && !isKept) {
          isKept = true;
          await this.versions.give(uri, textOf(file)); // which the editor still had
        }
        await delay(200);
      }
    });
  }

  private forgetIfGone(uri: vscode.Uri): void {
    if (!this.isPending(uri) && tabsOf(uri).length === 0) {
      this.files.forget(uri);
    }
  }
}

/** Into nowhere. After a restart nothing is known to be dirty before its document is open. */
async function save(uri: vscode.Uri, asNotebook: boolean): Promise<void> {
  const document = asNotebook
    ? await vscode.workspace.openNotebookDocument(uri)
    : await vscode.workspace.openTextDocument(uri);
  await document.save();
}
