import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Change, Changes } from './changes.ts';
import type { ChangeReview } from './changeReview.ts';
import type { ChangeSet } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import { changeInView, changesInFront, reviewInFront } from './changeDiffs.ts';
import type { ChangesNode } from './changeRows.ts';
import { offerUndo, undo } from './decisionNotice.ts';
import type { Editor } from './editor.ts';
import type { HistoryEntry, HistoryFile } from './history.ts';
import type { HunkReview } from './hunkReview.ts';
import { openAllChanges, openChange, openDecided } from './openDiffs.ts';
import { revertChanges } from './revertChanges.ts';
import { byKey, lastDecision, onRow } from '../editor/commandIds.ts';
import { isSame } from '../editor/documents.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import type { ReviewTree } from '../editor/reviewTree.ts';

/** What the commands act on. */
export interface Reviewing {
  readonly sets: ChangeSets;
  readonly changes: Changes;
  readonly review: ChangeReview;
  readonly editor: Editor;
  /** Settles when the diffs of what is decided have closed. */
  readonly closed: Promise<void>;
  undo(decision: string): Promise<string[]>;
  hunks(): Promise<HunkReview>;
}

/** What was done to files after the fact: look at it, take it back, keep it. */
export function changeCommands(
  reviewing: Reviewing,
  tree: Pick<ReviewTree, 'isSection' | 'refuseClick' | 'beside'>,
) {
  const { sets, review, changes } = reviewing;
  const decide = (act: (argument: unknown) => unknown) => async (argument: unknown) => {
    if (!isNode(argument) && !tree.isSection(argument)) {
      await act(argument);
    } else if (!tree.refuseClick(argument)) {
      const isReviewed = reviewInFront().shown.length > 0;
      await act(argument);
      if (isReviewed) {
        await vscode.commands.executeCommand('ideBridge.review.focus'); // the review was perhaps opened anew
      }
    }
  };
  /** Once a diff is closed that the user has decided in, the focus is in the editor that comes to the front. */
  const inDiff =
    <Arguments extends unknown[]>(act: (...all: Arguments) => unknown) =>
    async (...all: Arguments) => {
      const isDecidedThere = isInEditor(all) && changesInFront(changes.all).length > 0;
      await act(...all);
      if (isDecidedThere) {
        await reviewing.closed;
        if (changesInFront(changes.all).length === 0) {
          await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
        }
      }
    };
  /** From the title of a review, those that it shows. */
  const all = (argument: unknown) => (isUri(argument) ? changesInFront(changes.all) : changes.all);
  const told = (decision: string) => tell(reviewing, decision);
  /** The file of a row, or the one in front: then the next one that waits comes to the front after it. */
  const ofFile = (act: (change: Change) => unknown) =>
    decide((argument) =>
      withChange(argument, changes, async (change) => {
        const hunks = await reviewing.hunks();
        await (isNode(argument) ? act(change) : hunks.andGoOn(change.snapshot.path, () => act(change)));
      }),
    );
  /** By a lens or the gutter, which name a line, or at the cursor. A new file is decided as a whole. */
  const ofHunk =
    (verb: 'keep' | 'revert', whole: (change: Change) => unknown) =>
    (argument: unknown, ...where: unknown[]) =>
      withChange(
        uriIn(argument),
        changes,
        async (change) => {
          const hunks = await reviewing.hunks();
          const isWhole = change.comparison.kind === 'created' && !Array.isArray(where[0]);
          if (argument === byKey && !hunks.takesKey(verb)) {
            return;
          }
          if (isWhole) {
            await hunks.andGoOn(change.snapshot.path, () => whole(change));
          } else {
            await hunks[verb](change, where);
            await hunks.leaveOutDecided();
          }
        },
        ([first]) => first, // with which gutter and lenses compare
      );
  const revertSession = decide((node) =>
    isNode(node) ? revert(reviewing, changesOf(node, changes)) : sayNothingChanged(),
  );
  const keepSession = decide((node) =>
    isNode(node)
      ? told(
          review.keep(
            node.kind === 'folder' ? pathsOf(changesOf(node, changes)) : setOf(node).snapshots.keys(),
          ),
        )
      : sayNothingChanged(),
  );
  /** Also by a key in a diff; or on a row, which may be that of a session. */
  const byAnyKey =
    (
      verb: 'keep' | 'revert',
      decideFile: (argument: unknown) => unknown,
      ofSession: (node: ChangesNode) => unknown,
    ) =>
    async (argument: unknown, focused?: unknown) => {
      if (argument === byKey && !(await reviewing.hunks()).takesKey(verb)) {
        return;
      }
      if (argument !== onRow) {
        await decideFile(argument);
      } else if (isNode(focused) && focused.kind === 'file') {
        const goOn = tree.beside(focused);
        await decideFile(focused);
        await goOn();
      } else if (isNode(focused) && (focused.kind === 'session' || focused.kind === 'folder')) {
        await ofSession(focused);
      }
    };
  return {
    /** Of the session of a row, of that with a process, or of all. */
    reviewChanges: (argument: unknown) => {
      const ofSession = isNode(argument)
        ? changesOf(argument, changes)
        : typeof argument === 'number'
          ? changes.ofProcess(argument)
          : undefined;
      const chosen = ofSession ?? changes.all;
      const title = ofSession?.[0] ? `Changes by ${ofSession[0].set.label}` : 'Changes by Agents';
      return chosen.length > 0 ? openAllChanges(chosen, title) : sayNothingChanged();
    },
    openChange: (argument: unknown) => {
      const file = isNode(argument) ? decidedFile(argument) : undefined;
      return file ? openDecided(file.entry, file.file) : withChange(argument, changes, openChange);
    },
    revertHunk: inDiff(ofHunk('revert', (change) => revert(reviewing, [change]))),
    keepChangedHunk: inDiff(ofHunk('keep', ({ snapshot }) => told(review.keep([snapshot.path])))),
    revertFile: inDiff(
      byAnyKey(
        'revert',
        ofFile((change) => revert(reviewing, [change])),
        revertSession,
      ),
    ),
    revertSession,
    keepFile: inDiff(
      byAnyKey(
        'keep',
        ofFile(({ snapshot }) => told(review.keep([snapshot.path]))),
        keepSession,
      ),
    ),
    keepSession,
    keepAllChanges: inDiff(
      decide((argument) => told(isUri(argument) ? review.keep(pathsOf(all(argument))) : review.keepAll())),
    ),
    revertAllChanges: inDiff(
      decide((argument) => {
        const chosen = all(argument);
        return chosen.length > 0 ? revert(reviewing, chosen) : sayNothingChanged();
      }),
    ),
    copyPatch: async (argument: unknown) => {
      const chosen = chosenBy(argument, changes);
      await (chosen.length > 0
        ? (await import('./copyPatch.ts')).copyPatch(sets, chosen)
        : sayNothingChanged());
    },
    keepAndStage: decide(async (argument) => {
      const chosen = chosenBy(argument, changes);
      if (chosen.length === 0) {
        return sayNothingChanged();
      }
      const { staged, note } = await (await import('./stage.ts')).stage(chosen);
      await tell(reviewing, review.keep(staged), note);
    }),
    reviewTurn: async (node: unknown) => {
      if (isNode(node) && node.kind === 'turn') {
        const { openTurn } = await import('./turnCommands.ts');
        if (!(await openTurn(sets, node.set, node.start))) {
          sayNothingChanged();
        }
      }
    },
    revertTurn: decide(async (node) => {
      if (isNode(node) && node.kind === 'turn') {
        const decision = randomUUID();
        const { goBack } = await import('./turnCommands.ts');
        await tell(reviewing, decision, await goBack(reviewing, node.set, node.start, decision));
      }
    }),
    nextAgentChange: async () => (await reviewing.hunks()).go(1),
    previousAgentChange: async () => (await reviewing.hunks()).go(-1),
    nextChangedFile: async (argument: unknown) => {
      const uri = uriIn(argument) ?? vscode.window.activeTextEditor?.document.uri;
      await (await reviewing.hunks()).goToNextFile(uri?.fsPath ?? '');
    },
    /** Of a row, of the status bar, which names it, or by the key for undo. */
    undoDecision: decide(async (argument) => {
      const decision = isNode(argument) && 'entry' in argument ? argument.entry.id : argument;
      if (decision === lastDecision) {
        await (await reviewing.hunks()).undoLast((last) => undo(reviewing, last));
      } else if (typeof decision === 'string') {
        const reverted = isNode(argument) ? undefined : revertedPart(sets.history.find(decision));
        await undo(reviewing, decision);
        if (reverted !== undefined) {
          await goBackTo(vscode.Uri.file(reverted));
        }
      }
    }),
    clearChangeHistory: decide((node) =>
      sets.forgetHistory((_file, entry) => !isNode(node) || entry.sets.includes(setOf(node).id)),
    ),
  };
}

function isNode(value: unknown): value is ChangesNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** From a title, a lens or the gutter, which pass a URI, by a key, or from the palette, which passes nothing; a view passes two. */
function isInEditor(all: readonly unknown[]): boolean {
  return all.length === 0 || isUri(all[0]) || all[0] === byKey;
}

function isUri(argument: unknown): argument is vscode.Uri {
  return argument instanceof vscode.Uri;
}

function setOf(node: ChangesNode): ChangeSet {
  return 'set' in node ? node.set : node.change.set;
}

/** The one file of a row of the history. */
function decidedFile(node: ChangesNode): { entry: HistoryEntry; file: HistoryFile } | undefined {
  const file =
    node.kind === 'decidedFile' ? node.file : node.kind === 'decision' ? node.entry.files[0] : undefined;
  return file && 'entry' in node ? { entry: node.entry, file } : undefined;
}

/** The path of the file, of which it has reverted a change. */
function revertedPart(entry: HistoryEntry | undefined): string | undefined {
  const file = entry?.kind === 'reverted' ? entry.files[0] : undefined;
  return file?.isPart ? file.path : undefined;
}

/** Where the next file has come to the front meanwhile. */
async function goBackTo(uri: vscode.Uri): Promise<void> {
  if (!vscode.window.visibleTextEditors.some(({ document }) => isSame(document.uri, uri))) {
    await vscode.commands.executeCommand('vscode.open', uri);
  }
}

/** Of its session, or of what the row of a folder has shown. */
function changesOf(node: ChangesNode, changes: Changes): Change[] {
  const ofSession = changes.ofSet(setOf(node));
  if (node.kind !== 'folder') {
    return ofSession;
  }
  const shown = new Set(pathsOf(node.changes));
  return ofSession.filter(({ snapshot }) => shown.has(snapshot.path));
}

function pathsOf(changes: readonly Change[]): string[] {
  return changes.map(({ snapshot }) => snapshot.path);
}

/** The file or session of a row, the file of an editor, or else all. */
function chosenBy(argument: unknown, changes: Changes): readonly Change[] {
  return isNode(argument)
    ? 'change' in argument
      ? [argument.change]
      : changesOf(argument, changes)
    : isUri(argument)
      ? changes.ofPath(argument.fsPath)
      : changes.all;
}

/**
 * Acts on a file of the view, or on a URI as menus pass it; from the palette or a key, on the active editor.
 * @param choose among several sessions, where no diff says it
 */
async function withChange(
  argument: unknown,
  changes: Changes,
  act: (change: Change) => unknown,
  choose: (found: readonly Change[]) => Promise<Change | undefined> | Change | undefined = pick,
): Promise<void> {
  if (isNode(argument) && argument.kind === 'file') {
    await act(argument.change);
    return;
  }
  const uri = uriIn(argument) ?? vscode.window.activeTextEditor?.document.uri;
  const found = uri ? changes.ofPath(uri.with({ scheme: 'file', query: '' }).fsPath) : [];
  const change = uri && found.length > 1 ? (changeInView(found, uri) ?? (await choose(found))) : found[0];
  if (change) {
    await act(change);
  } else if (found.length === 0) {
    sayNothingChanged();
  }
}

function uriIn(argument: unknown): vscode.Uri | undefined {
  return isUri(argument) ? argument : undefined;
}

async function pick(found: readonly Change[]): Promise<Change | undefined> {
  const items = found.map((change) => ({ label: withoutIcons(change.set.label), change }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Several sessions changed this file' });
  return picked?.change;
}

/** Says what was done, and offers to undo it. @param note what else there is to know of it */
async function tell(reviewing: Reviewing, decision: string, note?: string): Promise<void> {
  offerUndo(reviewing, decision, note);
  if (reviewInFront().shown.length > 0) {
    const hunks = await reviewing.hunks();
    hunks.undoKey.decided(decision);
    await hunks.leaveOutDecided();
  }
}

async function revert(reviewing: Reviewing, chosen: readonly Change[]): Promise<void> {
  const decision = randomUUID();
  const note = await revertChanges(reviewing, chosen, decision);
  await tell(reviewing, decision, note);
}

function sayNothingChanged(): void {
  void vscode.window.showInformationMessage('No file here is changed by an agent, or its change is kept.');
}
