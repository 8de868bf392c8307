import * as vscode from 'vscode';
import { allTabs } from './tabContent.ts';

/** A message with the button that mends what it tells. */
export async function tell(words: string, button: vscode.Command): Promise<void> {
  const { title, command, arguments: args = [] } = button;
  if ((await vscode.window.showWarningMessage(words, title)) === title) {
    await vscode.commands.executeCommand(command, ...(args as unknown[]));
  }
}

/** Here rather than where they are told: they are not needed at the start. */
const untrusted = {
  bridge: 'The bridge stays off in Restricted Mode. Trust this workspace first.',
  run: 'Claude Code does not run in Restricted Mode. Trust this workspace first.',
  past: 'Past sessions are not read in Restricted Mode. Trust this workspace first.',
  sharing: 'Sharing stays off: the workspace is not trusted.',
};

/** @param then what the user has asked for, see `manageTrust` */
export async function tellUntrusted(what: keyof typeof untrusted, then?: () => unknown): Promise<void> {
  const title = 'Manage Workspace Trust';
  if ((await vscode.window.showWarningMessage(untrusted[what], title)) === title) {
    await manageTrust(then);
  }
}

/** What the user has asked for last by that page. */
let wish: vscode.Disposable | undefined;

/**
 * Opens the editor's own page on trust, and closes it once trust is given there: VS Code leaves the focus on nothing then,
 * and no key goes back to what the user was in.
 * @param then is done after that, unless the user closes the page
 */
export async function manageTrust(then?: () => unknown): Promise<void> {
  if (vscode.workspace.isTrusted && then) {
    await then(); // by the button of an old message
    return;
  }
  const { tabGroups } = vscode.window;
  await vscode.commands.executeCommand('workbench.trust.manage');
  const page = tabGroups.activeTabGroup.activeTab;
  // Not of a kind that the API knows.
  if (!page || page.input !== undefined) {
    return;
  }
  // VS Code 1.96 has other objects for the same tabs after each change.
  const { label } = page;
  const pages = () => allTabs().filter((tab) => tab.input === undefined && tab.label === label);
  const subscriptions = vscode.Disposable.from(
    vscode.workspace.onDidGrantWorkspaceTrust(async () => {
      subscriptions.dispose();
      await tabGroups.close(pages());
      // It would be in the status bar again, whose menu the user came from.
      await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      await then?.();
    }),
    tabGroups.onDidChangeTabs(() => {
      if (pages().length === 0) {
        subscriptions.dispose();
      }
    }),
  );
  wish?.dispose();
  wish = subscriptions;
}
