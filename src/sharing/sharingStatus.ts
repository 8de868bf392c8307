import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Sharing, SharingState } from './sharing.ts';
import { commandIds } from '../editor/commandIds.ts';
import { StatusItem, type StatusText } from '../editor/statusItem.ts';

/** An eye in the status bar: is what the user looks at shared? A click opens the choice. */
export class SharingStatus implements vscode.Disposable {
  private readonly item = new StatusItem(
    'ideBridge.sharing',
    99,
    'Sharing with Claude Code',
    commandIds.chooseSharing,
  );
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly sharing: Sharing) {
    this.subscriptions = vscode.Disposable.from(
      this.item,
      sharing.onDidChange(() => this.update()),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
    );
    this.update();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private update(): void {
    this.item.tell(this.describe());
  }

  private describe(): StatusText {
    switch (this.sharing.state) {
      case 'on':
        return this.describeActive();
      case 'paused':
        return {
          text: '$(eye-closed) Paused',
          tooltip: 'Sharing with Claude Code is paused in this window.',
        };
      case 'off':
        return { text: '$(eye-closed) Off', tooltip: 'Sharing with Claude Code is off.' };
    }
  }

  private describeActive(): StatusText {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const exclusion = uri && this.sharing.exclusion(uri);
    return exclusion === undefined
      ? { text: '$(eye)', tooltip: 'Selection, editors and problems are shared with Claude Code.' }
      : {
          text: '$(eye-closed)',
          tooltip: `${basename(uri?.path ?? '')} is not shared with Claude Code: it is ${exclusion}.`,
        };
  }
}

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
      detail: 'Nothing from any window, until you switch it on',
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
