import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { isSame } from '../editor/documents.ts';
import type { KeptVersions } from './keptVersions.ts';
import { type ProposalFiles, textOf } from './proposalFiles.ts';
import { isNotebook, proposedSides, shownProposals, tabsOf } from './proposalTabs.ts';
import { contentOf } from '../editor/tabContent.ts';

/** ms for the editor to answer: of a tab that is just being restored it may do so never. */
const patience = 4_000;

/**
 * Closes the tabs of proposals for which nobody waits any more, without a question about what was typed there: a tab
 * is saved first, into nowhere, and closed when it is clean. Until then it stays, and is looked at again with all that
 * happens to it: the editor saves by itself, and brings back what it has kept of a tab, when it likes.
 */
export class DecidedTabs implements vscode.Disposable {
  private readonly subscriptions: readonly vscode.Disposable[];
  /** Something has happened to this one, or to tabs. */
  private readonly changed = new vscode.EventEmitter<vscode.Uri | undefined>();
  private readonly closing = new Map<string, Promise<void>>();
  private isDisposed = false;

  constructor(
    private readonly files: ProposalFiles,
    private readonly versions: KeptVersions,
    private readonly isPending: (uri: vscode.Uri) => boolean,
    private readonly log: Logger,
  ) {
    this.subscriptions = [
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
        closed.flatMap(proposedSides).forEach((uri) => void this.leave(uri));
        this.changed.fire(undefined);
        // The editor brings back what it has kept of an edited one, at times after we have closed its tab.
        opened.flatMap(proposedSides).forEach((uri) => void this.closeOrphan(uri));
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.changed.fire(document.uri)),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.changed.fire(uri)),
      vscode.workspace.onDidSaveNotebookDocument(({ uri }) => this.changed.fire(uri)),
    ];
  }

  /** Closes what an earlier extension host has left behind. */
  async closeOrphans(): Promise<void> {
    await Promise.all(shownProposals().map((uri) => this.closeOrphan(uri)));
  }

  /** Leaves a multi-diff open that shows others which are still under review. */
  close(uri: vscode.Uri): Promise<void> {
    const key = uri.toString();
    const closing = this.closing.get(key) ?? this.closeAll(uri).finally(() => this.closing.delete(key));
    this.closing.set(key, closing);
    return closing;
  }

  dispose(): void {
    this.isDisposed = true;
    this.changed.fire(undefined);
    vscode.Disposable.from(...this.subscriptions, this.changed).dispose();
  }

  private async closeOrphan(uri: vscode.Uri): Promise<void> {
    if (!this.isPending(uri)) {
      await this.close(uri);
    }
  }

  private async closeAll(uri: vscode.Uri): Promise<void> {
    while (this.doneTabs(uri).length > 0) {
      const change = this.nextChange(uri); // from now on: it may come before the next line has ended
      const isAnswered = await this.attempt(this.saveAndClose(uri));
      if (this.doneTabs(uri).length > 0) {
        await (isAnswered ? change : Promise.race([change, delay(patience)])); // nothing may happen to it any more
      }
    }
    await this.leave(uri);
  }

  /**
   * Where its tab stays, for others that are under review, it can be typed into on and on: what comes now is a text of its
   * own, as in a tab of an earlier extension host. Where it is gone, the editor may have asked nothing.
   */
  private async leave(uri: vscode.Uri): Promise<void> {
    if (this.isPending(uri) || this.isDisposed) {
      return;
    }
    const isShown = tabsOf(uri).length > 0;
    const isOrphan = this.files.orphan(uri) !== undefined;
    if (isShown && !isOrphan) {
      await this.attempt(this.save(uri));
      this.files.disown(uri);
    } else if (isOrphan && !isShown) {
      await this.attempt(this.save(uri));
    }
    if (tabsOf(uri).length === 0) {
      this.files.forget(uri);
    }
  }

  /** Takes no longer than the editor may. @returns whether it has answered */
  private attempt(step: Promise<unknown>): Promise<boolean> {
    const attempt = step.catch((error: unknown) =>
      this.log.warn(`A decided diff could not be closed: ${errorMessage(error)}`),
    );
    return Promise.race([attempt.then(() => true), delay(patience, false)]);
  }

  /** Not what the editor would ask about. */
  private async saveAndClose(uri: vscode.Uri): Promise<void> {
    const sides = new Map(
      this.doneTabs(uri)
        .flatMap(proposedSides)
        .map((side) => [side.toString(), side]),
    );
    const documents = await Promise.all([...sides.values()].map((side) => this.save(side)));
    const quiet = this.doneTabs(uri).filter(asksNothing);
    if (documents.every((document) => !document?.isDirty) && quiet.length > 0) {
      await vscode.window.tabGroups.close(quiet, true);
    }
  }

  /** Into nowhere. @returns undefined where there is nothing to save */
  private async save(uri: vscode.Uri): Promise<{ readonly isDirty: boolean } | undefined> {
    const orphan = this.files.adopt(uri);
    // After a restart nothing is known to be dirty before its document is open.
    const opening = this.doneTabs(uri).some(isNotebook)
      ? vscode.workspace.openNotebookDocument(uri)
      : vscode.workspace.openTextDocument(uri);
    const document = await opening.then(undefined, (error: unknown) => {
      if (orphan) {
        throw error;
      }
      return undefined; // no text, as the editor sees it
    });
    if (orphan && document?.isDirty && 'getText' in document) {
      this.versions.keepOrphan(uri, document.getText());
    }
    await document?.save();
    if (orphan && orphan.bytes.length > 0) {
      await this.versions.give(uri, textOf(orphan)); // which the editor still had
    }
    return document;
  }

  private doneTabs(uri: vscode.Uri): vscode.Tab[] {
    const isDone = (tab: vscode.Tab) => proposedSides(tab).every((side) => !this.isPending(side));
    return this.isDisposed ? [] : tabsOf(uri).filter(isDone);
  }

  private nextChange(uri: vscode.Uri): Promise<void> {
    return new Promise((resolve) => {
      const subscription = this.changed.event((changed) => {
        if (!changed || isSame(changed, uri)) {
          subscription.dispose();
          resolve();
        }
      });
    });
  }
}

/** The editor never asks about a multi-diff, which is as dirty as the user's own files in it. */
function asksNothing({ input, isDirty }: vscode.Tab): boolean {
  return !isDirty || contentOf(input) === undefined;
}
