import * as vscode from 'vscode';
import type { Sharing, SharingState } from './sharing.ts';
import { commandIds } from '../editor/commandIds.ts';

export async function chooseSharing(sharing: Sharing): Promise<void> {
  const choose = async (state: SharingState) => {
    await sharing.pause(state === 'paused');
    if (state !== 'paused') {
      await vscode.workspace
        .getConfiguration('ideBridge')
        .update('share.enabled', state === 'on', vscode.ConfigurationTarget.Global);
    }
    if (sharing.state !== state && !vscode.workspace.isTrusted) {
      const { tellUntrusted } = await import('../editor/tell.ts');
      await tellUntrusted('sharing');
    } else if (sharing.state !== state) {
      const reason =
        state === 'paused' ? 'it is off in every window' : 'the settings of this workspace say so';
      void vscode.window.showInformationMessage(`Sharing stays off: ${reason}.`);
    }
  };
  const states = [
    {
      state: 'on',
      label: '$(eye) On',
      detail: 'Selection, active and open editors, and problems',
    },
    {
      state: 'paused',
      label: '$(debug-pause) Paused',
      detail: 'Nothing from this window until you resume; mentions and proposals still work',
    },
    {
      state: 'off',
      label: '$(eye-closed) Off',
      detail: vscode.workspace.isTrusted
        ? 'Nothing from any window, until you switch it on'
        : 'Nothing in Restricted Mode, whatever the setting says',
    },
  ] as const;
  const isCurrent = ({ state }: (typeof states)[number]) => state === sharing.state;
  // An Enter too many changes nothing: what it is now comes first.
  const items = [
    ...states.filter(isCurrent).map((item) => ({ ...item, description: 'now', run: () => {} })),
    ...states.filter((item) => !isCurrent(item)).map((item) => ({ ...item, run: () => choose(item.state) })),
    {
      label: '$(list-unordered) What Is Shared Now',
      run: () => vscode.commands.executeCommand(commandIds.showShared),
    },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: `Sharing with Claude Code: ${sharing.state}`,
  });
  await picked?.run();
}
