import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Sharing } from './sharing.ts';
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
        return {
          text: '$(eye-closed) Off',
          tooltip: `Sharing with Claude Code is off${vscode.workspace.isTrusted ? '' : ' in Restricted Mode'}.`,
        };
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
