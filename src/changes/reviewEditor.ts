import * as vscode from 'vscode';
import { diffUri } from './beforeFiles.ts';
import { reviewInFront, type Shown } from './changeDiffs.ts';
import type { Change } from './changes.ts';
import { isSame, openDocument } from '../editor/documents.ts';

/** All in one scrolling editor. */
export async function showReview(title: string, diffs: readonly Shown[]): Promise<void> {
  const changes = diffs.map(({ before, now }) => [now.with({ scheme: 'file', query: '' }), before, now]);
  await vscode.commands.executeCommand('vscode.changes', title, changes);
  await vscode.commands.executeCommand('workbench.action.keepEditor'); // else the next file would replace it
}

/**
 * Leaves out of the review in front what was decided, but for what has unsaved changes. VS Code shows there for good what
 * it was opened with, so it is opened anew; with the last one it is closed elsewhere.
 */
export async function leaveOutDecided(changes: readonly Change[]): Promise<void> {
  const { tab, shown } = reviewInFront();
  const listed = new Set(changes.map(({ set, snapshot }) => diffUri(set, snapshot).toString()));
  const isLeft = ({ before, now }: Shown) =>
    listed.has(before.toString()) || openDocument(now)?.isDirty === true;
  const firstDecided = shown.findIndex((each) => !isLeft(each));
  // The next one first, as the editor opens at its start.
  const left = [...shown.slice(firstDecided), ...shown.slice(0, firstDecided)].filter(isLeft);
  if (tab && firstDecided >= 0 && left.length > 0) {
    await showInstead(tab, left);
  }
}

/** Puts before what the review in front shows what is listed again, if it shows that no longer. */
export async function showAgain(listed: readonly Shown[]): Promise<void> {
  const { tab, shown } = reviewInFront();
  const isShown = ({ before }: Shown) => shown.some((each) => isSame(each.before, before));
  const missing = listed.filter((each) => !isShown(each));
  if (tab && shown.length > 0 && missing.length > 0) {
    await showInstead(tab, [...missing, ...shown]);
  }
}

async function showInstead(tab: vscode.Tab, diffs: readonly Shown[]): Promise<void> {
  await showReview(tab.label.replace(/ \(\d[^()]*\)$/, ''), diffs); // the editor adds the number of files
  if (tab.group.tabs.includes(tab)) {
    await vscode.window.tabGroups.close(tab, true); // where the new one has not replaced it
  }
}
