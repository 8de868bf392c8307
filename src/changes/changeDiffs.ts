import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Change } from './changes.ts';
import { beforeUri, nothingUri, pastUri } from './beforeFiles.ts';
import type { HistoryEntry, HistoryFile } from './history.ts';
import { isRegularFile } from '../editor/paths.ts';
import { beforeScheme } from '../editor/schemes.ts';
import { allTabs, contentOf, diffsOf } from '../editor/tabContent.ts';

/** Before on the left, the file itself, editable, on the right. */
export async function openChange({ set, snapshot, comparison }: Change): Promise<void> {
  const { path } = snapshot;
  const now = comparison.kind === 'deleted' ? nothingUri(path) : vscode.Uri.file(path);
  await openDiff(beforeUri(set, snapshot), now, `${basename(path)} (${comparison.kind} by ${set.label})`);
}

/** What an agent did to a file that was decided about: of one that was kept, with all that came to it since. */
export async function openDecided(
  { kind }: HistoryEntry,
  { path, listed, step }: HistoryFile,
): Promise<void> {
  const [before, now] = (step && (kind === 'reverted' ? [step.to, step.from] : [step.from, step.to])) || [];
  const [first] = listed;
  const file = vscode.Uri.file(path);
  await openDiff(
    pastUri(path, before ?? first?.snapshot ?? {}),
    now ? pastUri(path, now) : isRegularFile(path) ? file : nothingUri(path),
    `${basename(path)} (${kind})`,
  );
}

async function openDiff(before: vscode.Uri, now: vscode.Uri, title: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.diff', before, now, title, {
    preserveFocus: true,
    ...(!now.path.endsWith('.ipynb') && { override: true }), // the text editor; not part of the typed API
  });
}

/** All in one scrolling editor. */
export async function openAllChanges(changes: readonly Change[], title: string): Promise<void> {
  const resources = changes.map(({ set, snapshot, comparison }) => {
    const file = vscode.Uri.file(snapshot.path);
    return [file, beforeUri(set, snapshot), comparison.kind === 'deleted' ? undefined : file];
  });
  await vscode.commands.executeCommand('vscode.changes', title, resources);
}

/** Those that a review of several shows, while it is in front. */
export function changesInFront(changes: readonly Change[]): Change[] {
  const shown = reviewInFront().map((before) => before.toString());
  return changes.filter(({ set, snapshot }) => shown.includes(beforeUri(set, snapshot).toString()));
}

/** For the buttons in its title. */
export function followReviewInFront(): vscode.Disposable {
  const look = () =>
    vscode.commands.executeCommand('setContext', 'ideBridge.inChangesReview', reviewInFront().length > 0);
  const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
  return vscode.Disposable.from(onDidChangeTabs(look), onDidChangeTabGroups(look));
}

function reviewInFront(): vscode.Uri[] {
  return beforeSides(diffsOf(vscode.window.tabGroups.activeTabGroup.activeTab?.input));
}

function beforeSides(inputs: unknown[]): vscode.Uri[] {
  return inputs.flatMap((input) => {
    const before = contentOf(input)?.original;
    return before?.scheme === beforeScheme ? [before] : [];
  });
}

/** Closes the diffs of which every left side is `isOver`, but none with unsaved changes. */
export async function closeDiffs(isOver: (before: vscode.Uri) => boolean): Promise<void> {
  const over = allTabs().filter(({ input, isDirty }) => {
    const sides = beforeSides([input, ...diffsOf(input)]);
    return sides.length > 0 && !isDirty && sides.every(isOver);
  });
  if (over.length > 0) {
    await vscode.window.tabGroups.close(over, true);
  }
}
