import { basename } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { Reviewing } from './changeCommands.ts';
import type { Change } from './changes.ts';
import { confirmRevert, takenAlong } from './confirmRevert.ts';

/**
 * Reverts files, after a question where no undo would bring all back, and says what could not be.
 * @param decision its id, in the history @returns what went with it
 */
export async function revertChanges(
  reviewing: Reviewing,
  chosen: readonly Change[],
  decision: string,
): Promise<string> {
  const { review, changes } = reviewing;
  if (!(await confirmRevert(chosen, reviewing))) {
    return '';
  }
  const note = takenAlong(chosen, reviewing); // as long as it is there
  const problems: string[] = [];
  // The newest first: two of them may be one file, by a link or in another case.
  for (const change of [...chosen].reverse().sort((a, b) => b.snapshot.takenAt - a.snapshot.takenAt)) {
    try {
      await review.revert(change, decision);
    } catch (error) {
      problems.push(printable(`${basename(change.snapshot.path)}: ${errorMessage(error)}`, 1_000));
    }
  }
  await changes.refresh(new Set(chosen.map(({ snapshot }) => snapshot.path)));
  if (problems.length > 0) {
    void vscode.window.showErrorMessage(`Not everything could be reverted. ${problems.join(' ')}`);
  }
  return note;
}
