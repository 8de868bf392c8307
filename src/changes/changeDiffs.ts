import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Change } from './changes.ts';
import { beforeUri, nothingUri } from './beforeFiles.ts';
import { beforeScheme } from '../editor/schemes.ts';
import { allTabs, contentOf } from '../editor/tabContent.ts';

/** Before on the left, the file itself, editable, on the right. */
export async function openChange({ set, snapshot, comparison }: Change): Promise<void> {
  const { path } = snapshot;
  const now = comparison.kind === 'deleted' ? nothingUri(path) : vscode.Uri.file(path);
  const title = `${basename(path)} (${comparison.kind} by ${set.label})`;
  await vscode.commands.executeCommand('vscode.diff', beforeUri(set, snapshot), now, title, {
    preserveFocus: true,
    ...(!path.endsWith('.ipynb') && { override: true }), // the text editor; not part of the typed API
  });
}

/** All in one scrolling editor. */
export async function openAllChanges(changes: readonly Change[], title: string): Promise<void> {
  const resources = changes.map(({ set, snapshot, comparison }) => {
    const file = vscode.Uri.file(snapshot.path);
    return [
      file,
      comparison.kind === 'created' ? undefined : beforeUri(set, snapshot),
      comparison.kind === 'deleted' ? undefined : file,
    ];
  });
  await vscode.commands.executeCommand('vscode.changes', title, resources);
}

/** Closes the diffs whose left side is `isOver`, but none with unsaved changes. */
export async function closeDiffs(isOver: (before: vscode.Uri) => boolean): Promise<void> {
  const over = allTabs().filter(({ input, isDirty }) => {
    const before = contentOf(input)?.original;
    return before?.scheme === beforeScheme && !isDirty && isOver(before);
  });
  if (over.length > 0) {
    await vscode.window.tabGroups.close(over, true);
  }
}
