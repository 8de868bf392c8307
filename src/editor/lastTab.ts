import * as vscode from 'vscode';
import { contentOf } from './tabContent.ts';

/** The tab in which the user was last, terminals apart. */
export class LastTab implements vscode.Disposable {
  /** See `nameOf`. */
  name: string | undefined;
  private readonly subscriptions: vscode.Disposable;

  /** @param changed a tab, or which of them is in front */
  constructor(changed: () => void) {
    const look = (event?: unknown) => {
      const { activeTab } = vscode.window.tabGroups.activeTabGroup;
      this.name = isNoTerminal(activeTab) ? nameOf(activeTab) : this.name;
      if (event) {
        changed();
      }
    };
    look();
    const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
    this.subscriptions = vscode.Disposable.from(onDidChangeTabs(look), onDidChangeTabGroups(look));
  }

  dispose(): void {
    this.subscriptions.dispose();
  }
}

export function isNoTerminal(tab: vscode.Tab | undefined): tab is vscode.Tab {
  return tab !== undefined && !(tab.input instanceof vscode.TabInputTerminal);
}

/** What tells it from others, also after a change of groups, when VS Code has other objects for the same tabs. */
export function nameOf({ label, input, group }: vscode.Tab): string {
  return [group.viewColumn, contentOf(input)?.uri.toString(), label].join(' ');
}
