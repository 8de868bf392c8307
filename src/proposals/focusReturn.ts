import * as vscode from 'vscode';
import { fileUriOf } from '../editor/cells.ts';
import type { Proposals } from './proposals.ts';
import { setting } from '../editor/settings.ts';
import { isReviewingAll } from './proposalTabs.ts';
import { contentOf, tabsWith } from '../editor/tabContent.ts';
import type { UserPlace } from '../editor/userPlace.ts';

/**
 * Takes the user, after a decision, to the next proposal, of the same session first; after the last one back to where
 * they were before a diff drew them away.
 */
export function returnFocus(proposals: Proposals, userPlace: UserPlace): vscode.Disposable {
  return proposals.onDidDecide(({ proposal: { session }, wasInFront }) => {
    if (!wasInFront || isReviewingAll()) {
      return;
    }
    const { all } = proposals;
    const next = all.find((other) => other.session === session) ?? all[0];
    if (next) {
      void proposals.show(next);
    } else if (setting('diff.returnFocus')) {
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
