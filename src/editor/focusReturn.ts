import * as vscode from 'vscode';
import { fileUriOf } from './cells.ts';
import type { Proposals } from './proposals.ts';
import { setting } from './settings.ts';
import { contentOf, tabsWith } from './tabContent.ts';
import type { UserPlace } from './userPlace.ts';

/** Brings the user back, after a decision, to where they were before a diff drew them away. */
export function returnFocus(proposals: Proposals, userPlace: UserPlace): vscode.Disposable {
  return proposals.onDidDecide(({ wasInFront }) => {
    // Else the next one to decide is in front.
    if (wasInFront && setting('diff.returnFocus') && !proposals.active) {
      goBack(userPlace);
    }
  });
}

function goBack(userPlace: UserPlace): void {
  const place = userPlace.beforeDiff;
  if (place instanceof vscode.Uri) {
    const tab = tabsWith(fileUriOf(place)).find(
      ({ input }) => contentOf(input)?.kind !== 'diff' && contentOf(input),
    );
    if (tab) {
      const { viewColumn } = tab.group;
      void vscode.commands.executeCommand('vscode.open', place, { viewColumn });
    }
  } else if (place && place.exitStatus === undefined) {
    userPlace.show(place);
  }
}
