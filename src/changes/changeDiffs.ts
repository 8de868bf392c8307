import * as vscode from 'vscode';
import { setContext } from '../editor/setContext.ts';
import type { Change, Changes } from './changes.ts';
import { diffUri, isPast } from './beforeFiles.ts';
import { isSame } from '../editor/documents.ts';
import { beforeScheme } from '../editor/schemes.ts';
import { allTabs, contentOf, diffsOf } from '../editor/tabContent.ts';

/** A diff over what a file was before. */
export interface Shown {
  readonly before: vscode.Uri;
  readonly now: vscode.Uri;
}

/** Those that are shown in front, alone or in a review of several. */
export function changesInFront(changes: readonly Change[]): Change[] {
  const shown = shownIn(vscode.window.tabGroups.activeTabGroup);
  return changes.filter((change) => shown.some(isOf(change)));
}

/** The review of what is listed that is in front, and what it shows. */
export function reviewInFront(): { tab: vscode.Tab | undefined; shown: Shown[] } {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  const shown = diffsOf(tab?.input).flatMap(shownAs);
  return { tab, shown: shown.some(({ before }) => isPast(before)) ? [] : shown };
}

/** Whether one is, alone or in a review of several. */
export function isDiffInFront(): boolean {
  return shownIn(vscode.window.tabGroups.activeTabGroup).length > 0;
}

/** The one in whose diff a file, or nothing in its place, is in view; the diff in front goes before others. */
export function changeInView(changes: readonly Change[], now: vscode.Uri): Change | undefined {
  const shown = diffsInView().find((each) => isSame(each.now, now));
  return shown && changes.find((change) => isOf(change)(shown));
}

/** For buttons and keys. @param inView such a diff is, or a changed file */
export function followDiffs(changes: Changes, inView: () => void): vscode.Disposable {
  const look = () => {
    const { tab, shown } = reviewInFront();
    setContext('ideBridge.inChangesReview', shown.length > 0);
    setContext('ideBridge.inChange', shownAs(tab?.input).length > 0);
    lookForChanges();
  };
  const isChanged = ({ document: { uri } }: vscode.TextEditor) => changes.ofPath(uri.fsPath).length > 0;
  const lookForChanges = () => {
    if (diffsInView().length > 0 || vscode.window.visibleTextEditors.some(isChanged)) {
      inView();
    }
  };
  look();
  const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
  return vscode.Disposable.from(
    onDidChangeTabs(look),
    onDidChangeTabGroups(look),
    // Later than of its tab the editor tells of the text in it.
    vscode.window.onDidChangeVisibleTextEditors(lookForChanges),
    changes.onDidChange(lookForChanges),
  );
}

function isOf({ set, snapshot }: Change): (shown: Shown) => boolean {
  return ({ before }) => isSame(before, diffUri(set, snapshot));
}

function diffsInView(): Shown[] {
  const { activeTabGroup, all } = vscode.window.tabGroups;
  return [activeTabGroup, ...all].flatMap(shownIn);
}

function shownIn({ activeTab }: vscode.TabGroup): Shown[] {
  return activeTab ? shownBy(activeTab) : [];
}

function shownBy({ input }: vscode.Tab): Shown[] {
  return [input, ...diffsOf(input)].flatMap(shownAs);
}

function shownAs(input: unknown): Shown[] {
  const { uri: now, original: before } = contentOf(input) ?? {};
  return now && before?.scheme === beforeScheme ? [{ before, now }] : [];
}

/** Closes the diffs of which every left side is `isOver`, but none with unsaved changes. */
export async function closeDiffs(isOver: (before: vscode.Uri) => boolean): Promise<void> {
  const over = allTabs().filter((tab) => {
    const shown = shownBy(tab);
    return shown.length > 0 && !tab.isDirty && shown.every(({ before }) => isOver(before));
  });
  if (over.length > 0) {
    await vscode.window.tabGroups.close(over, true);
  }
}
