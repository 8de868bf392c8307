import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Hunk } from '../base/lineDiff.ts';
import { printable } from '../base/printable.ts';
import { Queue } from '../base/queue.ts';
import { decideHunk, hunkAt, hunksOf, revertHunk, shownLine } from './changeHunks.ts';
import { isInDiffInFront, reviewInFront } from './changeDiffs.ts';
import { ChangeLenses } from './changeLenses.ts';
import type { ChangeReview } from './changeReview.ts';
import type { Changes } from './changes.ts';
import type { Entry } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import { leaveOutDecided } from './reviewEditor.ts';
import { isSame } from '../editor/documents.ts';
import { InFront } from '../proposals/inFront.ts';

/** What the gutter passes; of a deletion, the 1-based line before it. */
const lineChangesSchema = z.array(z.object({ modifiedStartLineNumber: z.number() }));

/**
 * Decisions about single changes in a file: by a lens or the gutter, which name a line, or by a key, at the cursor. One
 * after the other, as each depends on what the one before has left.
 */
export class HunkReview implements vscode.Disposable {
  private readonly queue = new Queue();
  private readonly lenses: ChangeLenses;
  private readonly subscription: vscode.Disposable;
  /** The side of a diff in which the user is. */
  private readonly inFront = new InFront(() => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri && isInDiffInFront(uri) ? uri.toString() : undefined;
  });

  constructor(
    private readonly sets: ChangeSets,
    private readonly changes: Changes,
    private readonly review: ChangeReview,
  ) {
    this.lenses = new ChangeLenses(changes);
    void this.inFront.stay;
    // What was decided elsewhere; not while the user is there: it would come to the front.
    this.subscription = vscode.window.tabGroups.onDidChangeTabs(() => void this.leaveOutDecided());
  }

  /** @param where see `revert` @returns the decision, which is in the history if there was one */
  async keep(change: Entry, where: unknown[]): Promise<string> {
    const decision = randomUUID();
    await this.decide(change, where, async ({ snapshot }, document, find) => {
      const { path } = snapshot;
      if (document.isDirty) {
        return askToSave(document);
      }
      const before = this.sets.before(snapshot) ?? Buffer.of();
      const { hunk, now, kept, without } = await decideHunk(path, before, document.lineCount, find);
      if (hunk) {
        const listed = this.sets.ofPath(path).map((each) => ({ set: each.set.id, snapshot: each.snapshot }));
        this.sets.decided(decision, 'kept', [{ path, listed, isPart: true }]);
        this.review.leaveOut(path, { from: without, to: now }, { kept: { snapshot, before: kept } });
        await this.changes.refresh(new Set([path]));
      }
      return hunk;
    });
    return decision;
  }

  /** @param where a 0-based line; or what the gutter passes, its line changes and the index of one; else the cursor */
  async revert(change: Entry, where: unknown[]): Promise<string> {
    await this.decide(change, where, async (entry, document, find) => {
      const hunk = find(await hunksOf(entry, document));
      if (hunk) {
        await revertHunk(entry, document, hunk);
      }
      return hunk;
    });
    return ''; // the editor's own undo takes it back
  }

  /** See there. */
  leaveOutDecided(): Promise<void> {
    return this.queue.run(async () => {
      if (reviewInFront().shown.length > 0) {
        await this.changes.refresh(); // after a reload they are not all known yet
        await leaveOutDecided(this.changes.all);
      }
    });
  }

  /** @returns whether a key was meant for the diff in front: it may be held, or have been meant for the one before */
  takesKey(verb: 'keep' | 'revert'): boolean {
    const takes = this.inFront.takesKey();
    if (!takes) {
      const words = verb === 'keep' ? 'Not kept' : 'Not reverted';
      vscode.window.setStatusBarMessage(
        `${words}: the diff came to the front only just now. Wait a moment, then press again.`,
        5_000,
      );
    }
    return takes;
  }

  dispose(): void {
    this.lenses.dispose();
    this.inFront.dispose();
    this.subscription.dispose();
  }

  /** At the cursor it goes on to the next change. @param act see `Act` */
  private decide({ set, snapshot: { path } }: Entry, where: unknown[], act: Act): Promise<void> {
    const now = () => set.snapshots.get(path); // another one, once a part was kept
    return this.queue.run(async () => {
      const snapshot = now();
      const uri = vscode.Uri.file(path);
      const named = lineOf(where);
      const editor = vscode.window.activeTextEditor;
      // Not in a proposal for that file, nor in a cell of that notebook.
      const isHere = isSame(editor?.document.uri, uri);
      if (!snapshot || (named === undefined && !isHere)) {
        return sayNoneHere();
      }
      const document = await vscode.workspace.openTextDocument(uri);
      const cursor = editor?.selection.active.line ?? 0;
      const hunk = await act({ set, snapshot }, document, (hunks) =>
        named === undefined ? hunkAtCursor(hunks, cursor, document) : hunkAt(hunks, named),
      );
      if (!hunk) {
        return hunk === undefined ? sayNoneHere() : undefined;
      }
      const left = now();
      if (editor && named === undefined && left) {
        const hunks = await hunksOf({ set, snapshot: left }, document);
        goTo(hunks.find(({ nowStart }) => nowStart >= hunk.nowStart) ?? hunks[0], editor);
      }
    });
  }
}

/** @param find the hunk that is meant @returns that, if there is one; null where nothing was done about it */
type Act = (
  entry: Entry,
  document: vscode.TextDocument,
  find: (hunks: Hunk[]) => Hunk | undefined,
) => Promise<Hunk | null | undefined>;

/** What is named, 0-based. */
function lineOf([line, index]: unknown[]): number | undefined {
  const marked = lineChangesSchema.safeParse(line).data?.[Number(index)];
  return marked ? marked.modifiedStartLineNumber - 1 : typeof line === 'number' ? line : undefined;
}

/** Where a diff shows it: that of removed lines at the one after them. */
function hunkAtCursor(hunks: Hunk[], cursor: number, document: vscode.TextDocument): Hunk | undefined {
  const isShownHere = (hunk: Hunk) => {
    const line = shownLine(hunk, document);
    return line <= cursor && cursor < Math.max(hunk.nowEnd, line + 1);
  };
  return hunks.find(isShownHere) ?? hunkAt(hunks, cursor);
}

function goTo(hunk: Hunk | undefined, editor: vscode.TextEditor): void {
  if (hunk) {
    const line = shownLine(hunk, editor.document);
    editor.selection = new vscode.Selection(line, 0, line, 0);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** What is kept is what is on disk. */
function askToSave(document: vscode.TextDocument): null {
  const button = 'Save';
  const name = printable(basename(document.fileName), 200);
  void vscode.window
    .showInformationMessage(`${name} has unsaved changes. Save it, then keep a part of it.`, button)
    .then((choice) => (choice === button ? document.save() : undefined));
  return null;
}

function sayNoneHere(): void {
  void vscode.window.showInformationMessage('Put the cursor into a changed line first.');
}
