import * as vscode from 'vscode';
import { fileUriOf } from '../editor/cells.ts';
import type { Proposals } from './proposals.ts';
import { setting } from '../editor/settings.ts';
import { isReviewingAll } from './proposalTabs.ts';
import { contentOf, tabsWith } from '../editor/tabContent.ts';
import type { UserPlace } from '../editor/userPlace.ts';

/**
 * Takes the user, after a decision, to the next proposal of that session; after its last one back to where they were
 * before a diff drew them away. Not where they have gone on by themselves while the diff was closing.
 */
export function returnFocus(proposals: Proposals, userPlace: UserPlace): vscode.Disposable {
  return proposals.onDidDecide(({ proposal: { session }, wasInFront, at }) => {
    if (!wasInFront || isReviewingAll() || userPlace.wasSeenOutside(at)) {
      return;
    }
    const next = proposals.all.find((other) => other.session === session);
    if (next) {
      void proposals.show(next);
    } else if (setting('diff.returnFocus')) {
      goBack(userPlace);
    }
  });
}

function goBack(userPlace: UserPlace): void {
  const place = userPlace.beforeDiff;
  if (place === 'chat') {
    userPlace.wentToChat();
    void vscode.commands.executeCommand('workbench.action.chat.focusInput');
    return;
  }
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
