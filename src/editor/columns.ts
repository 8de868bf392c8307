import * as vscode from 'vscode';
import { setting } from './settings.ts';

/**
 * Where a diff opens: as the setting says, and never over a terminal that lives in the editor area (the CLI that
 * proposes the edit may run in it).
 * @param withOthers the group in which proposals are open already: one extra column or window holds them all
 * @returns undefined for a new window
 */
export function columnForReview(withOthers: vscode.TabGroup | undefined): vscode.ViewColumn | undefined {
  switch (setting('diff.location')) {
    case 'activeGroup': {
      const { activeTabGroup, all } = vscode.window.tabGroups;
      const isFree = (group: vscode.TabGroup) => !showsTerminal(group);
      const group = isFree(activeTabGroup) ? activeTabGroup : all.find(isFree);
      return group?.viewColumn ?? vscode.ViewColumn.Beside;
    }
    case 'beside':
      return withOthers?.viewColumn ?? vscode.ViewColumn.Beside;
    case 'newWindow':
      return withOthers?.viewColumn;
  }
}

/** The group that shows a terminal already, so that a second one does not make the files' groups narrower. */
export function columnOfTerminals(): vscode.ViewColumn | undefined {
  return vscode.window.tabGroups.all.find(showsTerminal)?.viewColumn;
}

/**
 * Where something to read opens while the user works on: over nothing that they type in, and over no notebook, which it
 * is about.
 */
export function columnBeside(): vscode.ViewColumn {
  const { all } = vscode.window.tabGroups;
  const isFree = (group: vscode.TabGroup) =>
    !group.isActive && !showsTerminal(group) && !(group.activeTab?.input instanceof vscode.TabInputNotebook);
  return all.find(isFree)?.viewColumn ?? vscode.ViewColumn.Beside;
}

export function showsTerminal({ activeTab }: vscode.TabGroup): boolean {
  return activeTab?.input instanceof vscode.TabInputTerminal;
}
