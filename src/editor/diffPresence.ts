import * as vscode from 'vscode';
import { fileUriOf } from './cells.ts';
import { isSame } from './documents.ts';
import type { Proposal } from './proposal.ts';

/** ms after which a key can no longer have been meant for what was in front before. */
const keyTime = 1_000;

/**
 * Whether the user is in the diff in front, which VS Code does not tell: a click into it says so at once, a key there,
 * or that the diff has the focus, only once it has been in front for a while.
 */
export class DiffPresence implements vscode.Disposable {
  private front: Proposal | undefined;
  /** ms, as `performance.now` counts them. */
  private since = 0;
  private hasClick = false;
  private hasKey = false;
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly active: () => Proposal | undefined) {
    const { tabGroups } = vscode.window;
    this.subscriptions = vscode.Disposable.from(
      tabGroups.onDidChangeTabs(() => this.look()),
      tabGroups.onDidChangeTabGroups(() => this.look()),
      vscode.window.onDidChangeActiveTextEditor(() => this.look()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) =>
        this.sign(fileUriOf(textEditor.document.uri), kind),
      ),
    );
  }

  /** The last sign of the user was in it. */
  isIn(uri: vscode.Uri): boolean {
    this.look();
    return isSame(this.front?.uri, uri) && (this.hasClick || this.hasKey);
  }

  /** For one that has the focus: the key that was pressed just now was meant for it. */
  isOwnKey(uri: vscode.Uri): boolean {
    this.look();
    return isSame(this.front?.uri, uri) && (this.hasClick || this.isLongInFront);
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private get isLongInFront(): boolean {
    return performance.now() - this.since >= keyTime;
  }

  private look(): void {
    const front = this.active();
    if (front !== this.front) {
      this.front = front;
      this.since = performance.now();
      this.hasClick = this.hasKey = false;
    }
  }

  private sign(uri: vscode.Uri, kind: vscode.TextEditorSelectionChangeKind | undefined): void {
    this.look();
    const isInFront = [this.front?.uri, this.front?.original].some((side) => isSame(side, uri));
    if (kind === vscode.TextEditorSelectionChangeKind.Mouse) {
      this.hasClick = isInFront;
      this.hasKey = false;
    } else if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) {
      this.hasClick &&= isInFront;
      this.hasKey = isInFront && this.isLongInFront;
    }
  }
}
