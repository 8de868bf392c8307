import * as vscode from 'vscode';
import { counted } from '../base/text.ts';
import type { Mentions } from '../mentions/mentions.ts';
import type { Bridge } from '../server/bridge.ts';
import { commandIds } from '../editor/commandIds.ts';

export async function showMenu(bridge: Bridge, mentions: Mentions): Promise<void> {
  const { waiting } = mentions;
  const items = [
    ...(waiting > 0
      ? [{ label: `$(trash) Discard ${counted(waiting, 'Waiting Mention')}`, command: undefined }]
      : []),
    { label: '$(terminal) Run Claude Code', command: commandIds.run },
    {
      label: '$(pulse) Doctor',
      detail: 'What keeps a CLI from connecting',
      command: commandIds.doctor,
    },
    { label: '$(output) Show Log', command: commandIds.showLog },
    {
      label: '$(copy) Copy Connection Info',
      detail: 'Without the token',
      command: commandIds.copyConnectionInfo,
    },
    {
      label: '$(debug-restart) Restart Bridge',
      detail: 'Disconnects every session',
      command: commandIds.restart,
    },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: 'IDE Bridge for Claude Code',
    placeHolder: connectionInfo(bridge).join(' · '),
  });
  if (picked?.command !== undefined) {
    await vscode.commands.executeCommand(picked.command);
  } else if (picked) {
    mentions.discard();
  }
}

export async function copyConnectionInfo(bridge: Bridge): Promise<void> {
  await vscode.env.clipboard.writeText(connectionInfo(bridge).join('\n'));
  vscode.window.setStatusBarMessage('Connection info copied, without the token.', 3_000);
}

/** Fit to paste into a bug report. */
function connectionInfo({ state, sessions, lockFilePath }: Bridge): string[] {
  switch (state.kind) {
    case 'listening':
      return [
        `Port ${state.port}`,
        `Lock file ${lockFilePath}`,
        ...(sessions.size === 0 ? ['No session'] : []),
        ...[...sessions].map(
          ({ id, pid, clientInfo }) =>
            `Session ${id}: ${clientInfo?.name} ${clientInfo?.version}, process ${pid ?? '?'}`,
        ),
      ];
    case 'failed':
      return [state.error.message];
    case 'starting':
    case 'stopped':
      return [`The bridge is ${state.kind}`];
  }
}
