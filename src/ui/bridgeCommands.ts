import * as vscode from 'vscode';
import type { Mentions } from '../mentions/mentions.ts';
import type { Bridge } from '../server/bridge.ts';
import { reconnect } from '../sessions/reconnect.ts';
import { copyConnectionInfo, showMenu } from './menu.ts';

export function bridgeCommands(bridge: Bridge, mentions: Mentions, log: vscode.LogOutputChannel) {
  return {
    showMenu: () => showMenu(bridge, mentions),
    showLog: () => log.show(),
    copyConnectionInfo: () => copyConnectionInfo(bridge),
    restart: () => restart(bridge),
    reconnect: () => (bridge.state.kind === 'listening' ? reconnect(bridge.state.port) : restart(bridge)),
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
