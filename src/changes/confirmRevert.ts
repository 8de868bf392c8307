import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Change } from './changes.ts';
import type { ChangeReview } from './changeReview.ts';
import { countsText, doersOf, sourceNote } from './changeItems.ts';

/** Of the files that have nothing of the user's in them; the others are named all. */
const maxNamed = 8;

/** Asks, naming what is lost. */
export async function confirmRevert(changes: readonly Change[], review: ChangeReview): Promise<boolean> {
  const [first] = changes;
  if (!first) {
    return false;
  }
  const what = changes.length === 1 ? basename(first.snapshot.path) : `${changes.length} files`;
  const action = changes.length === 1 ? 'Revert File' : `Revert ${changes.length} Files`;
  const isMine = (change: Change) => {
    const { isUnsaved, isSaved } = review.lossOf(change);
    return isUnsaved || isSaved;
  };
  const mine = changes.filter(isMine);
  const others = changes.filter((change) => !mine.includes(change)).slice(0, maxNamed);
  const named = [...mine, ...others].map((change) => `• ${loss(change, review)}`);
  const more = changes.length - named.length;
  const choice = await vscode.window.showWarningMessage(
    `Revert ${what} to before ${changes.length === 1 ? `${doersOf(first)} changed it` : `${first.set.label} changed them`}?`,
    {
      modal: true,
      detail: [
        'Every change since then goes, your own included:',
        ...named,
        ...(more > 0 ? [`• and ${more} more`] : []),
      ].join('\n'),
    },
    action,
  );
  return choice === action;
}

function loss(change: Change, review: ChangeReview): string {
  const { snapshot, comparison } = change;
  const { isUnsaved, isSaved, later, earlier } = review.lossOf(change);
  const effects = [
    comparison.kind === 'created'
      ? 'is deleted, as it was new'
      : comparison.kind === 'deleted'
        ? 'comes back'
        : countsText([change]) || 'is replaced',
    ...(isUnsaved ? ['with unsaved changes'] : []),
    ...(isSaved ? ['with what you saved there since'] : []),
    ...earlier.map(({ label }) => `with later changes, if any, by ${label}`),
    ...later.map(({ label }) => `with changes by ${label}`),
    ...sourceNote(change),
  ];
  return `${vscode.workspace.asRelativePath(snapshot.path)}: ${effects.join(', ')}`;
}
