import * as vscode from 'vscode';
import { fileUriOf } from '../editor/cells.ts';
import { isSame } from '../editor/documents.ts';
import { InFront, type Stay } from './inFront.ts';
import type { Proposal } from './proposal.ts';

/**
 * Whether the user is in the diff in front, which VS Code does not tell: a click into it says so at once, a key there,
 * or that the diff has the focus, only once it has been in front for a while.
 */
export class DiffPresence implements vscode.Disposable {
  private readonly inFront: InFront<Proposal>;
  /** The stays in which the last sign of the user was a click there, or a key. */
  private clicked: Stay<Proposal> | undefined;
  private typed: Stay<Proposal> | undefined;
  private readonly subscriptions: vscode.Disposable;

  constructor(active: () => Proposal | undefined) {
    this.inFront = new InFront(active);
    this.subscriptions = vscode.Disposable.from(
      this.inFront,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) =>
        this.sign(fileUriOf(textEditor.document.uri), kind),
      ),
    );
  }

  /** The last sign of the user was in it. */
  isIn(uri: vscode.Uri): boolean {
    const { stay } = this.inFront;
    return isSame(stay.of?.uri, uri) && (stay === this.clicked || stay === this.typed);
  }

  /** The user has gone elsewhere, as a key there has told. */
  leave(): void {
    this.clicked = this.typed = undefined;
  }

  /** For the diff that has the focus, once for each key. @returns whether the key was meant for it */
  takesKey(): boolean {
    const { stay } = this.inFront;
    const takes = this.inFront.takesKey(stay === this.clicked);
    if (takes) {
      this.typed = stay;
    }
    return takes;
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private sign(uri: vscode.Uri, kind: vscode.TextEditorSelectionChangeKind | undefined): void {
    const { stay, isLong } = this.inFront;
    const isThere = [stay.of?.uri, stay.of?.original].some((side) => isSame(side, uri));
    if (kind === vscode.TextEditorSelectionChangeKind.Mouse) {
      this.clicked = isThere ? stay : undefined;
      this.typed = undefined;
    } else if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) {
      this.clicked = isThere ? this.clicked : undefined;
      this.typed = isThere && isLong ? stay : undefined;
    }
  }
}
