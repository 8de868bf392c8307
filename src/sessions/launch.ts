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
  await whenTrusted(launcher, () => (isInTerminal ? launcher.runFromTerminal() : launcher.run()));
}

/** See `Launcher.launch`. */
export function launch(
  launcher: Launcher,
  args: readonly string[] = [],
  place?: Place,
  cwd?: string,
  name?: string,
): void {
  void whenTrusted(launcher, () => launcher.launch(args, place, cwd, name));
}

/** Now, or once the user has given trust by way of the message: then with a bridge, of which the terminal is to know. */
async function whenTrusted({ bridge }: Launcher, act: () => unknown): Promise<void> {
  if (vscode.workspace.isTrusted) {
    await act();
    return;
  }
  const { tellUntrusted } = await import('../editor/tell.ts');
  await tellUntrusted('run', async () => {
    await bridge.start();
    await act();
  });
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
