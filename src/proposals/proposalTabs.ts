import * as vscode from 'vscode';
import { columnForReview, showsTerminal } from '../editor/columns.ts';
import { isSame } from '../editor/documents.ts';
import type { Proposal } from './proposal.ts';
import { proposalScheme } from '../editor/schemes.ts';
import { allTabs, contentOf, diffsOf } from '../editor/tabContent.ts';

/** How a diff opens: as a tab that leaves the active one in front, in front of it, or there with the focus in it. */
export type Appearance = 'behind' | 'in front' | 'focused';

/** Opens the diff of a proposal where the settings want it, or brings it to the front where it is. */
export async function showDiff(
  { original, uri, isText }: Proposal,
  title: string,
  appearance: Appearance,
): Promise<void> {
  const shown = tabsOf(uri).find(({ input }) => isDiff(input));
  const column = shown?.group.viewColumn ?? columnForReview(groupOfProposals());
  if (
    appearance === 'in front' &&
    column !== undefined &&
    column >= vscode.ViewColumn.One &&
    showsTerminal(vscode.window.tabGroups.activeTabGroup)
  ) {
    // What `vscode.diff` calls: that would make the diff's group the active one, without the focus, and a terminal of the
    // editor area would lose its keys to copy and paste.
    const options = {
      pinned: true,
      preserveFocus: true,
      activation: 3,
      ...(isText && { override: 'default' }),
    };
    const opening = vscode.commands.executeCommand('_workbench.diff', original, uri, title, [
      column - 1,
      options,
    ]);
    // It is no API: an editor may not have it.
    if (
      await opening.then(
        () => true,
        () => false,
      )
    ) {
      return;
    }
  }
  await vscode.commands.executeCommand('vscode.diff', original, uri, title, {
    // Pinned: a preview would be replaced, and so rejected, by the next one.
    preview: false,
    preserveFocus: appearance !== 'focused',
    viewColumn: column ?? vscode.ViewColumn.Active,
    // Neither this nor the next is part of the typed API.
    background: appearance === 'behind',
    // Whatever editor the user has chosen for such files.
    ...(isText && { override: true }),
  });
  const isInFront = tabsOf(uri).some(({ isActive, group }) => isActive && group.isActive);
  if (column === undefined && isInFront) {
    // A browser may refuse to open one: then it stays where it is.
    await vscode.commands.executeCommand('workbench.action.moveEditorToNewWindow').then(undefined, () => {});
  }
}

export function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  return allTabs().filter((tab) => proposedSides(tab).some((side) => isSame(side, uri)));
}

/** Every proposal that is in a tab, pending or left behind by an earlier extension host. */
export function shownProposals(): vscode.Uri[] {
  return allTabs().flatMap(proposedSides);
}

/** The proposed sides that a tab shows: in a diff, among others in a multi-diff, or alone. */
export function proposedSides({ input }: vscode.Tab): vscode.Uri[] {
  const content = contentOf(input);
  const uris = content ? [content.uri] : diffsOf(input).map(({ modified }) => modified);
  return uris.filter(({ scheme }) => scheme === proposalScheme);
}

export function showsProposal(tab: vscode.Tab): boolean {
  return proposedSides(tab).length > 0;
}

/** Whether it shows several, or did. */
export function isReviewOfAll(tab: vscode.Tab): boolean {
  return contentOf(tab.input) === undefined && showsProposal(tab);
}

/** Whether that is in front. */
export function isReviewingAll(): boolean {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab !== undefined && isReviewOfAll(tab);
}

export function isNotebook({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputNotebookDiff || input instanceof vscode.TabInputNotebook;
}

function groupOfProposals(): vscode.TabGroup | undefined {
  return vscode.window.tabGroups.all.find(({ tabs }) =>
    tabs.some((tab) => isDiff(tab.input) && showsProposal(tab)),
  );
}

function isDiff(input: unknown): boolean {
  return contentOf(input)?.kind === 'diff';
}
