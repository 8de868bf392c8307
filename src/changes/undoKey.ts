import * as vscode from 'vscode';
import { isDiffInFront } from './changeDiffs.ts';
import type { History } from './history.ts';
import { setContext } from '../editor/setContext.ts';

/** ms in which a review that is opened anew may be out of sight. */
const reopening = 1_000;

/**
 * What the key for undo takes back in our diffs, until the user types something or goes elsewhere: the decisions that were
 * made in them, the last one first. The editor's own undo would take out of the next file what an agent has written.
 */
export class UndoKey implements vscode.Disposable {
  /** From the first to the last. */
  private decisions: readonly string[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly history: Pick<History, 'find'>) {
    this.subscription = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // What is read anew from the disk is not dirty.
        if (document.isDirty && contentChanges.length > 0 && document.uri.scheme === 'file') {
          this.set([]);
        }
      }),
      vscode.window.tabGroups.onDidChangeTabs(() => this.look()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.look()),
    );
  }

  /** To be called once all that belongs to it is done. */
  decided(decision: string): void {
    this.set(isDiffInFront() ? [...this.left(), decision] : []);
  }

  /** @returns the last that can still be undone; the one before it is the next */
  take(): string | undefined {
    const left = this.left();
    this.set(left.slice(0, -1));
    return left.at(-1);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.set([]);
  }

  private look(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.set(isDiffInFront() ? this.decisions : []), reopening);
  }

  private left(): string[] {
    return this.decisions.filter((each) => this.history.find(each));
  }

  private set(decisions: readonly string[]): void {
    if (decisions.length > 0 || this.decisions.length > 0) {
      setContext('ideBridge.undoesDecision', decisions.length > 0);
    }
    this.decisions = decisions;
  }
}
