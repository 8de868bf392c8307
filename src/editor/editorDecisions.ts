import * as vscode from 'vscode';
import { isSame } from './documents.ts';
import { onDidSaveByHand } from './handSaves.ts';
import type { Proposals } from './proposals.ts';
import { proposedSides, tabsOf } from './proposalTabs.ts';
import { setting } from './settings.ts';

/** ms in which a tab that moves to another group or window, and for that is closed, has opened again. */
const moveTime = 100;

/** What the user does to the diff itself is a decision, too: closing its tab rejects, saving it by hand accepts. */
export function watchEditorDecisions(proposals: Proposals): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      for (const uri of closed.flatMap(proposedSides).filter((side) => proposals.find(side))) {
        setTimeout(() => {
          if (tabsOf(uri).length === 0) {
            void proposals.reject(uri);
          }
        }, moveTime);
      }
    }),
    onDidSaveByHand(
      (uri) => isSame(proposals.active?.uri, uri),
      (uri) => {
        if (setting('diff.acceptOnSave')) {
          void proposals.accept(uri);
        }
      },
    ),
  );
}
