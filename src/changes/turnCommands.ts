import { basename } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { firstOf } from '../base/text.ts';
import { isRegularFile } from '../editor/paths.ts';
import { nothingUri, pastUri } from './beforeFiles.ts';
import type { Reviewing } from './changeCommands.ts';
import type { Shown } from './changeDiffs.ts';
import { type ChangeSet, type TurnStart, turnsOf } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import { GoBack, goalsOf, stateAt } from './goBack.ts';
import { showReview } from './reviewEditor.ts';
import { turnTitle } from './turnTitle.ts';

/** Shows what a session has done in one turn, with what the user has saved in its files meanwhile. @returns whether there is any */
export async function openTurn(sets: ChangeSets, set: ChangeSet, start: TurnStart): Promise<boolean> {
  const next = turnsOf(set).find(({ begun }) => begun > start.begun);
  const shown = goalsOf(sets, set, start).flatMap(({ path, to }): Shown[] => {
    const file = isRegularFile(path) ? vscode.Uri.file(path) : nothingUri(path);
    const later = next && stateAt(set, next, path);
    const isIt = start.edited.includes(path) || (!next && to !== undefined && !sets.isState(path, to));
    return to && isIt ? [{ before: pastUri(path, to), now: later ? pastUri(path, later) : file }] : [];
  });
  if (shown.length > 0) {
    await showReview(`Changes after “${turnTitle(start)}”`, shown);
  }
  return shown.length > 0;
}

/** Goes back to before a prompt, and says what could not be. @returns what went with it */
export async function goBack(
  { sets, review, changes, editor }: Reviewing,
  set: ChangeSet,
  start: TurnStart,
  decision: string,
): Promise<string> {
  const { files, problems } = await new GoBack(sets, review, editor).to(set, start, decision);
  await changes.refresh(new Set(files.map(({ path }) => path)));
  if (problems.length > 0) {
    const words = problems.map((problem) => printable(problem, 1_000)).join(' ');
    void vscode.window.showErrorMessage(`Not everything is as it was before that prompt. ${words}`);
  } else if (files.length === 0) {
    void vscode.window.showInformationMessage('All files are as they were before that prompt.');
  }
  const effects = files.flatMap(({ path, to, others }) => {
    const along = [
      ...(to?.isSavedOver ? ['what you saved there since'] : []),
      ...others.map((label) => `what ${label} has changed there since`),
    ];
    return along.length > 0 ? [`${basename(path)}: with ${along.join(' and ')}`] : [];
  });
  return firstOf(effects);
}
