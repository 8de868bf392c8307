import { basename } from 'node:path';
import * as vscode from 'vscode';
import { counted, firstOf } from '../base/text.ts';
import type { Change } from './changes.ts';
import { countsText, doersOf, sourceNote } from './changeItems.ts';
import { canUndoRevert, lossOf, type Where } from './loss.ts';
import { openAllChanges, openChange } from './openDiffs.ts';

/** Of the files that have nothing of the user's in them; the others are named all. */
const maxNamed = 8;

/** Asks, naming what is lost, where the history cannot bring all of it back. The first answer harms nothing. */
export async function confirmRevert(changes: readonly Change[], where: Where): Promise<boolean> {
  const [first] = changes;
  if (!first || changes.every((change) => canUndoRevert(where, change))) {
    return first !== undefined;
  }
  const isOne = changes.length === 1;
  const sessions = new Set(changes.map(({ set }) => set)).size;
  const files = new Set(changes.map(({ snapshot }) => snapshot.path)).size;
  const what = isOne ? basename(first.snapshot.path) : counted(files, 'file');
  const doers = isOne ? doersOf(first) : sessions > 1 ? `${sessions} sessions` : first.set.label;
  const [show, action] = isOne
    ? ['Show Change', 'Revert File']
    : ['Show Changes', `Revert ${counted(files, 'File')}`];
  const isMine = (change: Change) => {
    const { isUnsaved, isSaved } = lossOf(where, change);
    return isUnsaved || isSaved || !canUndoRevert(where, change);
  };
  const mine = changes.filter(isMine);
  const others = changes.filter((change) => !mine.includes(change)).slice(0, maxNamed);
  const named = [...mine, ...others].map((change) => `• ${loss(change, where)}`);
  const more = changes.length - named.length;
  const choice = await vscode.window.showWarningMessage(
    `Revert ${what} to before ${doers} changed ${files > 1 ? 'them' : 'it'}?`,
    {
      modal: true,
      detail: [
        'Every change since then goes, your own included:',
        ...named,
        ...(more > 0 ? [`• and ${more} more`] : []),
      ].join('\n'),
    },
    show,
    action,
  );
  if (choice === show) {
    const whose = sessions > 1 ? 'Agents' : first.set.label;
    await (isOne ? openChange(first) : openAllChanges(changes, `Changes by ${whose}`));
  }
  return choice === action;
}

/** What a revert takes along besides the work of its session, and how it knows that; for the message after it. */
export function takenAlong(changes: readonly Change[], where: Where): string {
  const isSaved = (change: Change) => Number(lossOf(where, change).isSaved);
  const mineFirst = [...changes].sort((one, other) => isSaved(other) - isSaved(one));
  const found = mineFirst.flatMap((change) => {
    const effects = besides(change, where);
    return effects.length > 0 ? [`${basename(change.snapshot.path)}: ${effects.join(', ')}`] : [];
  });
  return firstOf(found);
}

function loss(change: Change, where: Where): string {
  const { snapshot, comparison } = change;
  const effects = [
    comparison.kind === 'created'
      ? 'is deleted, as it was new'
      : comparison.kind === 'deleted'
        ? 'comes back'
        : countsText([change]) || 'is replaced',
    ...besides(change, where),
    ...(canUndoRevert(where, change) ? [] : ['not to be undone here']),
  ];
  return `${vscode.workspace.asRelativePath(snapshot.path)}: ${effects.join(', ')}`;
}

function besides(change: Change, where: Where): string[] {
  const { isUnsaved, isSaved, later, earlier } = lossOf(where, change);
  return [
    ...(isUnsaved ? ['with unsaved changes'] : []),
    ...(isSaved ? ['with what you saved there since'] : []),
    ...earlier.map(({ label }) => `with later changes, if any, by ${label}`),
    ...later.map(({ label }) => `with changes by ${label}`),
    ...sourceNote(change),
  ];
}
