import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { ChangeReview } from './changeReview.ts';
import type { Snapshot } from './changeSet.ts';
import { bytesAt, type ChangeSets, type Taken } from './changeSets.ts';
import { LineNumbers } from './lineNumbers.ts';
import type { Save } from './ownLines.ts';
import { takeSavedLines } from './savedLines.ts';
import { TextSince } from './textSince.ts';

/** What the user saves of files that wait for review, though they type on while the editor writes it. */
export class UserSaves implements Disposable {
  private readonly begun = new WeakMap<vscode.TextDocument, TextSince>();
  /** Of the file that was saved last alone, as it may be much. */
  private known: { readonly path: string; readonly numbers: LineNumbers } | undefined;
  private readonly subscription = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) =>
    this.begun.get(document)?.change(contentChanges),
  );

  constructor(
    private readonly review: ChangeReview,
    private readonly sets: ChangeSets,
  ) {}

  begin(document: vscode.TextDocument): void {
    this.begun.set(document, new TextSince(document.getText()));
    void this.compareAhead(document.uri.fsPath).catch(() => {}); // at the end it is compared once more then
  }

  /** See `takeSavedLines`. */
  end(document: vscode.TextDocument, save: Save): ReadonlyMap<Snapshot, Taken> {
    const earlier = this.begun.get(document)?.all() ?? [];
    this.begun.delete(document);
    const { review, sets } = this;
    const path = document.uri.fsPath;
    const numbers = this.numbersOf(path);
    const taken = takeSavedLines(review, sets, path, save, document, earlier, numbers);
    this.known = taken.size > 0 && !numbers.isLarge ? { path, numbers } : undefined;
    return taken;
  }

  /** While the editor writes it: in one piece with what is to do then, a long file of several sessions would take too long. */
  private async compareAhead(path: string): Promise<void> {
    const numbers = this.numbersOf(path);
    this.known = { path, numbers };
    const now = bytesAt(path);
    if (!now) {
      return;
    }
    await setImmediate();
    numbers.of(now);
    for (const text of this.review.textsBefore(path).flatMap(({ bytes }) => bytes ?? [])) {
      await setImmediate();
      const lines = numbers.of(text);
      await setImmediate();
      numbers.changes(numbers.of(now), lines);
    }
  }

  private numbersOf(path: string): LineNumbers {
    return this.known?.path === path ? this.known.numbers : new LineNumbers();
  }

  dispose(): void {
    this.subscription.dispose();
  }
}
