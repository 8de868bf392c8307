import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Hunk } from '../base/lineDiff.ts';
import { printable } from '../base/printable.ts';
import { Queue } from '../base/queue.ts';
import { AgentHunks } from './agentHunks.ts';
import { ChangeColors } from './changeColors.ts';
import { documentBefore } from './beforeFiles.ts';
import {
  decideHunk,
  hunkAt,
  hunksOf,
  markOf,
  mustHaveParts,
  namedLine,
  readLines,
  revertHunk,
  shownLine,
} from './changeHunks.ts';
import { reviewInFront } from './changeDiffs.ts';
import { ChangeLenses } from './changeLenses.ts';
import { ChangeSteps, goTo } from './changeSteps.ts';
import { type ChangeReview, listing } from './changeReview.ts';
import type { Changes } from './changes.ts';
import type { Entry, FileState } from './changeSet.ts';
import { bytesAt, type ChangeSets, realPathOf } from './changeSets.ts';
import type { Editor } from './editor.ts';
import type { HistoryEntry, HistoryFile } from './history.ts';
import { isPlain } from './plainEditors.ts';
import { sidesOf } from './openDiffs.ts';
import { leaveOutDecided, showAgain } from './reviewEditor.ts';
import { decoded } from './shownText.ts';
import { decisionTitle } from './historyItems.ts';
import { commandIds } from '../editor/commandIds.ts';
import { isSame } from '../editor/documents.ts';
import { isAsOnDisk, isReloaded } from '../editor/onDisk.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import { StatusItem } from '../editor/statusItem.ts';
import { InFront } from '../proposals/inFront.ts';
import { UndoKey } from './undoKey.ts';

/** What the gutter passes; of a deletion, the 1-based line before it. */
const lineChangesSchema = z.array(z.object({ modifiedStartLineNumber: z.number() }));

/**
 * Decisions about single changes in a file: by a lens or the gutter, which name a line, or by a key, at the cursor. One
 * after the other, as each depends on what the one before has left.
 */
export class HunkReview implements vscode.Disposable {
  private readonly queue = new Queue();
  private readonly agentHunks = new AgentHunks();
  private readonly steps: ChangeSteps;
  private readonly subscription: vscode.Disposable;
  readonly undoKey: UndoKey;
  /** The decision that the item undoes. */
  private last: string | undefined;
  /** For the part that was decided last: a message for each would bury those that need an answer. */
  private readonly undoItem = new StatusItem(
    'ideBridge.undoKeep',
    100.0004, // beside the count of what is left
    'Undo Decision',
    commandIds.undoDecision,
  );
  /** The file, or the side of a diff, in which the user is. */
  private readonly inFront = new InFront(() => vscode.window.activeTextEditor?.document.uri.toString());

  constructor(
    private readonly sets: ChangeSets,
    private readonly changes: Changes,
    private readonly review: ChangeReview,
    private readonly editor: Editor,
  ) {
    this.steps = new ChangeSteps(sets, changes, this.agentHunks);
    this.undoKey = new UndoKey(sets.history);
    void this.inFront.stay;
    this.subscription = vscode.Disposable.from(
      this.inFront,
      this.agentHunks,
      this.undoItem,
      this.undoKey,
      sets.onDidChange(() => this.withdrawUndo()),
      new ChangeLenses(changes, this.agentHunks),
      new ChangeColors(changes, this.agentHunks),
      // What was decided elsewhere; not while the user is there: it would come to the front.
      vscode.window.tabGroups.onDidChangeTabs(() => void this.leaveOutDecided()),
    );
  }

  /** @param where see `revert` */
  async keep(change: Entry, where: unknown[]): Promise<void> {
    const decision = randomUUID();
    await this.decide(change, where, async ({ snapshot }, document, find) => {
      const { path } = snapshot;
      if (document.isDirty) {
        return askToSave(document);
      }
      const before = this.sets.before(snapshot) ?? Buffer.of();
      const decided = await decideHunk(path, before, document, find, 'keep');
      if (!decided) {
        return sayChanged();
      }
      const { hunk, now, kept, without } = decided;
      if (hunk) {
        const listed = this.sets.ofPath(path).map(listing);
        this.sets.decided(decision, 'kept', [{ path, listed, isPart: true }]);
        this.review.leaveOut(path, { from: without, to: now }, { kept: { snapshot, before: kept } });
        await this.changes.refresh(new Set([path]));
      }
      return hunk;
    });
    this.offerUndo(decision);
  }

  /** @param where a 0-based line, and the mark of its hunk; or what the gutter passes, its line changes and the index of one; else the cursor */
  async revert(change: Entry, where: unknown[]): Promise<void> {
    const decision = randomUUID();
    await this.decide(change, where, async (entry, document, find, version) => {
      const { path } = entry.snapshot;
      const before = this.sets.before(entry.snapshot) ?? Buffer.of();
      const text = decoded(await readLines(path, before));
      await setImmediate(); // see `diffOf`
      const hasAllBytes = text !== undefined && decoded(before) !== undefined;
      if (!document.isDirty && !(hasAllBytes && text === document.getText())) {
        return this.revertBytes(entry, document, find, before, decision); // the editor would save others
      }
      if (!hasAllBytes) {
        throw new Error(
          `${basename(path)} has unsaved changes and is not in UTF-8, in which a part of it would lose characters. ` +
            'Revert the file, or save it first.',
        );
      }
      const hunk = find(await hunksOf(entry, document));
      if (!hunk) {
        return hunk;
      }
      const revert = () => revertHunk(entry, document, hunk, version);
      const isSaved = (bytes: Buffer) => !document.isDirty && decoded(bytes) === document.getText();
      const isDone = await (document.isDirty ? revert() : this.remember(path, decision, revert, isSaved));
      if (isDone && !this.sets.history.find(decision)) {
        sayReverted(document);
      }
      return isDone ? hunk : sayChanged(); // the editor's own undo takes it back, too
    });
    this.offerUndo(decision);
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

  /** By the key for undo, in our diffs. @param undo see `Reviewing` */
  async undoLast(undo: (decision: string) => Promise<void>): Promise<void> {
    const decision = this.undoKey.take();
    const entry = decision === undefined ? undefined : this.sets.history.find(decision);
    if (!decision || !entry) {
      return;
    }
    const { files, sets } = entry;
    const title = decisionTitle(entry);
    await undo(decision);
    if (this.sets.history.find(decision)) {
      return; // what stands in the way was said
    }
    vscode.window.setStatusBarMessage(`Undone: ${title}.`, 5_000);
    const again = files.flatMap(({ path }) => this.changes.ofPath(path));
    await this.queue.run(() => showAgain(again.filter(({ set }) => sets.includes(set.id)).map(sidesOf)));
  }

  /** @returns whether a key was meant for the file or diff in front: it may be held, or have been meant for the one before */
  takesKey(verb: 'keep' | 'revert'): boolean {
    const takes = this.inFront.takesKey();
    if (!takes) {
      const words = verb === 'keep' ? 'Not kept' : 'Not reverted';
      const editor = vscode.window.activeTextEditor;
      vscode.window.setStatusBarMessage(
        `${words}: the ${editor && isPlain(editor) ? 'file' : 'diff'} came to the front only just now. Wait a moment, then press again.`,
        5_000,
      );
    }
    return takes;
  }

  /** See `ChangeSteps`; in the order of what else the user has asked for. */
  go(step: 1 | -1): Promise<void> {
    return this.queue.run(() => this.steps.go(step));
  }

  /** See `ChangeSteps`. */
  goToNextFile(path: string): Promise<void> {
    return this.queue.run(() => this.steps.after(path)());
  }

  /** Once what the user decides in the editor of a file leaves nothing in it that waits, the next one is shown. */
  async andGoOn(path: string, decide: () => unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const isHere = editor?.document.uri.fsPath === path && isPlain(editor);
    const goOn = this.steps.after(path);
    await decide();
    if (isHere && this.changes.ofPath(path).length === 0) {
      await goOn();
    }
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** As bytes, where no save of the editor's leaves all others as they are. */
  private async revertBytes(
    { snapshot: { path, real } }: Entry,
    document: vscode.TextDocument,
    find: Parameters<Act>[2],
    before: Buffer,
    decision: string,
  ): Promise<Hunk | null | undefined> {
    if (real !== undefined && realPathOf(path) !== real) {
      throw new Error(`${basename(path)} is a link that leads to another file now.`);
    }
    const decided = await decideHunk(path, before, document, find, 'revert');
    if (!decided?.hunk) {
      return decided ? decided.hunk : sayChanged();
    }
    const { hunk, now, without } = decided;
    const write = async () => {
      const { writeBytes } = await import('./revertFile.ts');
      if (document.isDirty || !this.sets.isNow(path, now)) {
        return false;
      }
      await this.review.write(path, () => writeBytes(this.editor, path, without, undefined));
      this.review.didRestore(path, []); // with the text from before it waits no more
      return true;
    };
    const isDone = await this.remember(path, decision, write, (bytes) => bytes.equals(without));
    if (!isDone) {
      return sayChanged();
    }
    await isReloaded(document, 2_000); // the next change is looked for in it
    await this.changes.refresh(new Set([path]));
    return hunk;
  }

  /**
   * Puts a revert into the history.
   * @param revert a save in it is the user's, and may take from the list what is to be listed again
   * @param isResult whether that is what it has made of the file: an agent may write meanwhile, or the editor not save
   * @returns what that does
   */
  private async remember(
    path: string,
    decision: string,
    revert: () => Promise<boolean>,
    isResult: (bytes: Buffer) => boolean,
  ): Promise<boolean> {
    // Of their own: what is told of those that stay listed is not told of these.
    const entries = this.sets.ofPath(path).map(({ set, snapshot }) => ({ set, snapshot: { ...snapshot } }));
    const from = this.sets.stateOf(path);
    const put = (to: FileState | undefined): HistoryFile[] => {
      const listed = entries.map(listing);
      const files =
        from && to ? [{ path, real: realPathOf(path), listed, isPart: true, step: { from, to } }] : [];
      this.sets.decided(decision, 'reverted', files);
      return files;
    };
    const begun = put(from); // so that its texts are kept
    try {
      const isDone = await revert();
      const bytes = isDone ? bytesAt(path) : undefined;
      const to = bytes && isResult(bytes) ? this.sets.stateOf(path) : undefined;
      if (to && to.hash !== from?.hash) {
        put(to);
      }
      return isDone;
    } finally {
      this.sets.forgetHistory((file) => begun.includes(file));
    }
  }

  /** Until it is undone, forgotten, or something else is decided in that file. */
  private offerUndo(decision: string): void {
    const entry = this.sets.history.find(decision);
    if (!entry) {
      return; // nothing was decided
    }
    this.undoKey.decided(decision);
    this.last = decision;
    const title = decisionTitle(entry);
    this.undoItem.tell({
      text: `$(discard) ${withoutIcons(printable(title, 60))}`,
      tooltip: `${title}: click to undo it.`,
      args: [decision],
    });
  }

  private withdrawUndo(): void {
    const { last } = this;
    const path = last && this.sets.history.find(last)?.files[0]?.path;
    const isLast = ({ files }: HistoryEntry) => files.some((file) => file.path === path);
    if (last !== undefined && this.sets.history.entries.findLast(isLast)?.id !== last) {
      this.last = undefined;
      this.undoItem.tell(undefined);
    }
  }

  /** At the cursor it goes on to the next change. @param act see `Act` */
  private decide({ set, snapshot: { path } }: Entry, where: unknown[], act: Act): Promise<void> {
    const now = () => set.snapshots.get(path); // another one, once a part was kept
    return this.queue.run(async () => {
      const snapshot = now();
      const uri = vscode.Uri.file(path);
      const editor = vscode.window.activeTextEditor;
      // Not in a proposal for that file, nor in a cell of that notebook.
      const isHere = isSame(editor?.document.uri, uri);
      if (!snapshot) {
        return sayNoneHere();
      }
      const change = this.changes.ofPath(path).find((each) => each.set === set);
      if (change) {
        mustHaveParts(path, change.comparison);
      }
      const document = await vscode.workspace.openTextDocument(uri);
      const { version } = document;
      const { line: named, mark } = whereOf(where);
      if (named === undefined && !isHere) {
        return sayNoneHere();
      }
      const plain = editor && isHere && isPlain(editor) ? editor : undefined;
      const goOn = this.steps.after(path);
      const cursor = editor?.selection.active.line ?? 0;
      const own =
        plain && named === undefined
          ? hunkAtCursor(await this.agentHunks.of({ set, snapshot }, document), cursor, document)
          : undefined;
      const line = own ? namedLine(own) : named;
      if (plain && line === undefined) {
        return sayNoneHere(); // what the user has typed is not decided
      }
      const before = await documentBefore({ set, snapshot });
      const find = (hunks: readonly Hunk[]) => {
        if (document.version !== version) {
          return sayChanged();
        }
        if (line === undefined) {
          return hunkAtCursor(hunks, cursor, document);
        }
        const isMeant = (hunk: Hunk) => markOf(hunk, before, document) === mark;
        return mark === undefined
          ? hunkAt(hunks, line)
          : (nearest(hunks, line).find(isMeant) ?? sayChanged());
      };
      const hunk = await act({ set, snapshot }, document, find, version);
      if (!hunk) {
        return hunk === undefined ? sayNoneHere() : undefined;
      }
      const left = now();
      if (plain) {
        await this.goOnIn(plain, path, hunk, goOn);
      } else if (editor && named === undefined && left) {
        const hunks = await hunksOf({ set, snapshot: left }, document);
        await goTo(hunks.find(({ nowStart }) => nowStart >= hunk.nowStart) ?? hunks[0], editor);
      }
    });
  }

  /** To the next change in the editor of a file by itself; once only the user's are left, it is reviewed. */
  private async goOnIn(
    editor: vscode.TextEditor,
    path: string,
    from: Hunk,
    goOn: () => Promise<void>,
  ): Promise<void> {
    const { document } = editor;
    if (!document.isDirty) {
      await this.changes.refresh(new Set([path]));
    }
    const [change] = this.changes.ofPath(path);
    const hunks = change ? await this.agentHunks.of(change, document) : [];
    if (hunks.length > 0) {
      return goTo(hunks.find(({ nowStart }) => nowStart >= from.nowStart) ?? hunks[0], editor);
    }
    // Else an agent has just written it anew, which nobody has seen yet; or it cannot be told what is left.
    if (change && !document.isDirty && (await isKnown(change, document))) {
      this.review.keep([path]);
    }
    await goOn();
  }
}

/** @param find the hunk that is meant; null where that was said not to be there any more @param version of the document, when that was said @returns that, if there is one; null where nothing was done about it */
type Act = (
  entry: Entry,
  document: vscode.TextDocument,
  find: (hunks: Hunk[]) => Hunk | null | undefined,
  version: number,
) => Promise<Hunk | null | undefined>;

/** Where a decision is to be made. */
interface Where {
  /** That is named, 0-based; undefined: the cursor is meant. */
  readonly line: number | undefined;
  /** Of the hunk that a lens has shown. */
  readonly mark?: unknown;
}

function whereOf([line, what]: unknown[]): Where {
  if (typeof line === 'number') {
    return { line, mark: what ?? '' };
  }
  const marked = lineChangesSchema.safeParse(line).data?.[Number(what)];
  return { line: marked && marked.modifiedStartLineNumber - 1 };
}

/** The nearest first: lines above may have come or gone since a lens was drawn. */
function nearest(hunks: readonly Hunk[], line: number): Hunk[] {
  const distance = (hunk: Hunk) => Math.abs(namedLine(hunk) - line);
  return [...hunks].sort((a, b) => distance(a) - distance(b));
}

/** Where a diff shows it: that of removed lines at the one after them. */
function hunkAtCursor(
  hunks: readonly Hunk[],
  cursor: number,
  document: vscode.TextDocument,
): Hunk | undefined {
  const isShownHere = (hunk: Hunk) => {
    const line = shownLine(hunk, document);
    return line <= cursor && cursor < Math.max(hunk.nowEnd, line + 1);
  };
  return hunks.find(isShownHere) ?? hunkAt(hunks, cursor);
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

/** Where it is not in the history: not saved yet, for example. */
function sayReverted({ fileName, isDirty }: vscode.TextDocument): void {
  const name = printable(basename(fileName), 200) + (isDirty ? ', not saved yet' : '');
  vscode.window.setStatusBarMessage(
    `Reverted a change in ${name}: undo in its editor brings it back.`,
    5_000,
  );
}

function sayChanged(): null {
  vscode.window.setStatusBarMessage('Not done: this change has just become another one.', 5_000);
  return null;
}

function sayNoneHere(): void {
  void vscode.window.showInformationMessage('Put the cursor into a changed line first.');
}

/** Whether what the document shows is what is there, and its changes can be told. */
async function isKnown(change: Entry, document: vscode.TextDocument): Promise<boolean> {
  try {
    await hunksOf(change, document);
    return await isAsOnDisk(document);
  } catch {
    return false;
  }
}
