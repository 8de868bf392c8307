import * as vscode from 'vscode';
import type { Mentions } from '../mentions/mentions.ts';
import type { WaitingReasons } from '../mentions/waitingReasons.ts';
import type { Bridge } from '../server/bridge.ts';
import type { AbsentClis } from '../sessions/absentClis.ts';
import type { SessionStates } from '../sessions/sessionStates.ts';

export function bridgeCommands(
  bridge: Bridge,
  states: SessionStates,
  absentClis: AbsentClis,
  mentions: Mentions,
  reasons: WaitingReasons,
  log: vscode.LogOutputChannel,
) {
  return {
    showMenu: async () => (await import('./menu.ts')).showMenu(bridge, states, absentClis, mentions, reasons),
    showLog: () => log.show(),
    copyConnectionInfo: async () => (await import('./menu.ts')).copyConnectionInfo(bridge),
    restart: () => restart(bridge),
    /** @param terminal in which a CLI runs that is not connected */
    reconnect: async (terminal: unknown) => {
      if (bridge.state.kind !== 'listening') {
        await restart(bridge);
        return;
      }
      const { reconnect } = await import('../sessions/reconnect.ts');
      await reconnect(bridge.state.port, absentClis, terminal);
    },
  };
}

async function restart(bridge: Bridge): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage(
      'The bridge stays off in Restricted Mode. Trust this workspace first.',
    );
    return;
  }
  await bridge.restart();
}
