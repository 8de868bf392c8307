import * as vscode from 'vscode';
import { isSame } from './documents.ts';
import { isNoTerminal, nameOf } from './lastTab.ts';
import { allTabs, contentOf } from './tabContent.ts';

/** Of our walkthrough; others go to their first, whatever it is called. */
const firstStep = 'run';

/** VS Code has commands for these groups, and no API. */
const ordinals = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth'];

/**
 * Gives the focus to what is in front where the tab of that name is; where a terminal covers it, to itself; where it is gone, to
 * another.
 * @returns whether there is any
 */
export async function showTab(name: string | undefined): Promise<boolean> {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const last = allTabs().find((tab) => nameOf(tab) === name);
  const inFront = all.map(({ activeTab }) => activeTab);
  const tab = [activeTabGroup.activeTab, last?.group.activeTab, last, ...inFront].find(isNoTerminal);
  if (!tab) {
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
    return false;
  }
  const { viewColumn, tabs } = tab.group;
  const ordinal = ordinals[viewColumn - 1] ?? 'Last';
  const uri = contentOf(tab.input)?.uri;
  const isOther = tab.input === undefined; // the settings, a walkthrough
  const isThere =
    tab.isActive &&
    (isOther || vscode.window.visibleTextEditors.some(({ document }) => isSame(uri, document.uri)));
  await vscode.commands.executeCommand(`workbench.action.focus${ordinal}EditorGroup`);
  // One that is in front, but still on its way, takes no focus from its group. What is there has it by now, and would
  // take it once more from a user who has gone elsewhere since; a walkthrough would go back to its list.
  if (!isThere) {
    await vscode.commands.executeCommand('workbench.action.openEditorAtIndex', tabs.indexOf(tab));
  }
  if (isOther) {
    // A walkthrough takes no focus from elsewhere, but for a step; which one was open, nobody tells. Other tabs have none.
    await vscode.commands.executeCommand('walkthroughs.selectStep', firstStep);
  }
  return true;
}
