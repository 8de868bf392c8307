import { basename } from 'node:path';
import * as vscode from 'vscode';
import { type Change, type Changes, isAfter } from '../changes/changes.ts';
import { openDocument } from '../editor/documents.ts';
import { sourceNote, countsText } from './changeItems.ts';

const maxNamed = 8;

/** Asks, naming what is lost. */
export async function confirmRevert(changes: readonly Change[], all: Changes): Promise<boolean> {
  const [first] = changes;
  if (!first) {
    return false;
  }
  const what = changes.length === 1 ? basename(first.snapshot.path) : `${changes.length} files`;
  const action = changes.length === 1 ? 'Revert File' : `Revert ${changes.length} Files`;
  const named = changes.slice(0, maxNamed).map((change) => `• ${loss(change, all)}`);
  const more = changes.length - named.length;
  const choice = await vscode.window.showWarningMessage(
    `Revert ${what} to before ${first.set.label} changed ${changes.length === 1 ? 'it' : 'them'}?`,
    {
      modal: true,
      detail: [
        'Every change since then is lost, your own included:',
        ...named,
        ...(more > 0 ? [`• and ${more} more`] : []),
      ].join('\n'),
    },
    action,
  );
  return choice === action;
}

function loss(change: Change, all: Changes): string {
  const { set, snapshot, comparison } = change;
  const others = all.ofPath(snapshot.path).filter((other) => other.set !== set);
  const effects = [
    comparison.kind === 'created'
      ? 'is deleted, as it was new'
      : comparison.kind === 'deleted'
        ? 'comes back'
        : countsText([change]) || 'is replaced',
    ...(openDocument(vscode.Uri.file(snapshot.path))?.isDirty ? ['with unsaved changes'] : []),
    ...others.map(
      (other) =>
        `with ${isAfter(other, change) ? 'changes' : 'later changes, if any,'} by ${other.set.label}`,
    ),
    ...sourceNote(change),
  ];
  return `${vscode.workspace.asRelativePath(snapshot.path)}: ${effects.join(', ')}`;
}
