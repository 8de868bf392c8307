import * as vscode from 'vscode';
import type { Bridge } from '../server/bridge.ts';
import { commandIds } from '../editor/commandIds.ts';

/** One message for a start that failed: what is wrong, what to do, and a button to try again. */
export function reportFailedStart(bridge: Bridge): vscode.Disposable {
  return vscode.Disposable.from(
    bridge.onDidChangeState((state) => {
      if (state.kind === 'failed') {
        void report(state.error.message);
      }
    }),
  );
}

async function report(message: string): Promise<void> {
  const actions = { 'Restart Bridge': commandIds.restart, 'Show Log': commandIds.showLog } as const;
  const choice = await vscode.window.showErrorMessage(
    `Claude Code cannot connect. ${message}`,
    ...(Object.keys(actions) as (keyof typeof actions)[]),
  );
  if (choice) {
    await vscode.commands.executeCommand(actions[choice]);
  }
}
