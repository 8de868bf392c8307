import * as vscode from 'vscode';
import { fileUriOf } from '../editor/cells.ts';
import type { Proposer } from '../server/proposer.ts';
import type { Proposals } from '../proposals/proposals.ts';
import { setting } from '../editor/settings.ts';
import { isReviewingAll } from '../proposals/proposalTabs.ts';
import { contentOf, tabsWith } from '../editor/tabContent.ts';
import type { UserPlace } from '../editor/userPlace.ts';

/**
 * Takes the user, after a decision, to the next proposal of that session; after its last one back to where they were
 * before a diff drew them away. Not where they have gone on by themselves while the diff was closing, and not into a
 * terminal that asks, by a proposal of another session, say: one more Enter would consent.
 * @param asks whether one that is not this session does so in this terminal
 */
export function returnFocus(
  proposals: Proposals,
  userPlace: UserPlace,
  asks: (terminal: vscode.Terminal, session: Proposer) => boolean,
): vscode.Disposable {
  return proposals.onDidDecide(({ proposal: { session }, wasInFront, at, column }) => {
    if (!wasInFront || isReviewingAll() || userPlace.wasSeenOutside(at)) {
      return;
    }
    const next = proposals.all.find((other) => other.session === session);
    if (next) {
      void proposals.show(next);
    } else if (setting('diff.returnFocus')) {
      goBack(userPlace, column, (terminal) => asks(terminal, session));
    }
  });
}

/** @param column where the diff was */
function goBack(
  userPlace: UserPlace,
  column: vscode.ViewColumn | undefined,
  asks: (terminal: vscode.Terminal) => boolean,
): void {
  const place = userPlace.beforeDiff;
  if (place === 'chat') {
    userPlace.wentToChat();
    void vscode.commands.executeCommand('workbench.action.chat.focusInput');
    return;
  }
  if (place instanceof vscode.Uri) {
    const tabs = tabsWith(fileUriOf(place));
    const tab = tabs.find(({ input }) => contentOf(input)?.kind !== 'diff' && contentOf(input));
    const isInFront = [tab, ...tabs].some((each) => each?.isActive && each.group.isActive);
    if (isInFront) {
      // Also in a diff of the file. Where the group of ours has gone, the editor has done so, and they may be elsewhere by now.
      if (vscode.window.tabGroups.activeTabGroup.viewColumn === column) {
        void vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      }
    } else if (tab) {
      const { viewColumn } = tab.group;
      void vscode.commands.executeCommand('vscode.open', place, { viewColumn });
    }
  } else if (place && place.exitStatus === undefined && !asks(place)) {
    userPlace.show(place);
  }
}
