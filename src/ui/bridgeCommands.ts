import * as vscode from 'vscode';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Mentions } from '../mentions/mentions.ts';
import type { WaitingReasons } from '../mentions/waitingReasons.ts';
import type { Bridge } from '../server/bridge.ts';
import type { SessionStates } from '../sessions/sessionStates.ts';

export function bridgeCommands(
  bridge: Bridge,
  states: SessionStates,
  userPlace: UserPlace,
  mentions: Mentions,
  reasons: WaitingReasons,
  log: vscode.LogOutputChannel,
) {
  return {
    showMenu: async () => (await import('./menu.ts')).showMenu(bridge, states, mentions, reasons),
    showLog: () => log.show(),
    copyConnectionInfo: async () => (await import('./menu.ts')).copyConnectionInfo(bridge),
    restart: () => restart(bridge),
    manageTrust: async () => (await import('../editor/tell.ts')).manageTrust(),
    reconnect: async (argument: unknown) => {
      if (bridge.state.kind !== 'listening') {
        await restart(bridge);
        return;
      }
      const { reconnect } = await import('../sessions/reconnect.ts');
      await reconnect(bridge.state.port, userPlace, states, argument);
    },
  };
}

async function restart(bridge: Bridge): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    const { tellUntrusted } = await import('../editor/tell.ts');
    await tellUntrusted('bridge');
    return;
  }
  await bridge.restart();
}
