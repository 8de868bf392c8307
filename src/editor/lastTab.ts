import * as vscode from 'vscode';
import { isSame } from './documents.ts';
import { allTabs, contentOf } from './tabContent.ts';

/** Of our walkthrough; others go to their first, whatever it is called. */
const firstStep = 'run';

/** VS Code has commands for these groups, and no API. */
const ordinals = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth'];

/** The tab in which the user was last, terminals apart. */
export class LastTab implements vscode.Disposable {
  /** What tells it from others. */
  private last: string | undefined;
  private readonly subscriptions: vscode.Disposable;

  /** @param changed a tab, or which of them is in front */
  constructor(changed: () => void) {
    const look = (event?: unknown) => {
      const { activeTab } = vscode.window.tabGroups.activeTabGroup;
      this.last = isNoTerminal(activeTab) ? nameOf(activeTab) : this.last;
      if (event) {
        changed();
      }
    };
    look();
    const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
    this.subscriptions = vscode.Disposable.from(onDidChangeTabs(look), onDidChangeTabGroups(look));
  }

  /**
   * Gives the focus to what is in front where it is; where a terminal covers it, to itself; where it is gone, to another.
   * @returns whether there is any
   */
  async show(): Promise<boolean> {
    const { all, activeTabGroup } = vscode.window.tabGroups;
    const last = allTabs().find((tab) => nameOf(tab) === this.last);
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

  dispose(): void {
    this.subscriptions.dispose();
  }
}

export function isNoTerminal(tab: vscode.Tab | undefined): tab is vscode.Tab {
  return tab !== undefined && !(tab.input instanceof vscode.TabInputTerminal);
}

/** Also after a change of groups, when VS Code has other objects for the same tabs. */
export function nameOf({ label, input, group }: vscode.Tab): string {
  return [group.viewColumn, contentOf(input)?.uri.toString(), label].join(' ');
}
