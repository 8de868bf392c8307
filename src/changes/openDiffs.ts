import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Change } from './changes.ts';
import { diffUri, nothingUri, pastUri } from './beforeFiles.ts';
import type { Shown } from './changeDiffs.ts';
import type { HistoryEntry, HistoryFile } from './history.ts';
import { showReview } from './reviewEditor.ts';
import { isRegularFile } from '../editor/paths.ts';

/** Before on the left, the file itself, editable, on the right. */
export async function openChange(change: Change): Promise<void> {
  const { set, snapshot, comparison } = change;
  const { before, now } = sidesOf(change);
  await openDiff(before, now, `${basename(snapshot.path)} (${comparison.kind} by ${set.label})`);
}

export function sidesOf({ set, snapshot, comparison }: Change): Shown {
  const { path } = snapshot;
  const now = comparison.kind === 'deleted' ? nothingUri(path) : vscode.Uri.file(path);
  return { before: diffUri(set, snapshot), now };
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
  await showReview(title, changes.map(sidesOf));
}
