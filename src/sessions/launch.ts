import * as vscode from 'vscode';
import type { Launcher, Place } from './launcher.ts';

/** A remote window hides settings of machine scope from the user's own. */
export const openCommandSetting = {
  title: 'Open Settings',
  command: `workbench.action.open${vscode.env.remoteName === undefined ? '' : 'Remote'}Settings`,
  arguments: [{ query: 'ideBridge.command' }],
};

/** @param isInTerminal a terminal has the focus */
export async function run(launcher: Launcher, isInTerminal: boolean): Promise<void> {
  if (isTrusted()) {
    await (isInTerminal ? launcher.runFromTerminal() : launcher.run());
  }
}

/** See `Launcher.launch`. */
export function launch(launcher: Launcher, args: readonly string[] = [], place?: Place, cwd?: string): void {
  if (isTrusted()) {
    launcher.launch(args, place, cwd);
  }
}

function isTrusted(): boolean {
  if (!vscode.workspace.isTrusted) {
    void import('../editor/tell.ts').then(({ tellUntrusted }) =>
      tellUntrusted('Claude Code does not run in Restricted Mode. Trust this workspace first.'),
    );
  }
  return vscode.workspace.isTrusted;
}

/** One message, however many terminals do not find it. */
export function reportMissingCommand(launcher: Launcher): vscode.Disposable {
  let isShown = false;
  return launcher.onDidNotFindCommand(async () => {
    if (!isShown) {
      isShown = true;
      await (await import('./launchProblems.ts')).tellMissing();
      isShown = false;
    }
  });
}
