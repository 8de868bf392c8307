import * as vscode from 'vscode';
import { spokenStatus } from './spokenStatus.ts';

/** What an item of ours says. */
export interface StatusText {
  text: string;
  tooltip: string;
  /** Of the background, by its theme name. */
  color?: string;
  /** What the command is given; nothing without. */
  args?: unknown[];
}

/** An item at the right of the status bar; a click runs a command. Hidden until it has something to say. */
export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  /** @param priority higher ones stand further to the left */
  constructor(
    id: string,
    priority: number,
    private readonly name: string,
    private readonly command: string,
  ) {
    this.item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Right, priority);
    this.item.name = name;
  }

  /** @param status undefined hides the item */
  tell(status: StatusText | undefined): void {
    if (!status) {
      this.item.hide();
      return;
    }
    const { text, tooltip, color, args } = status;
    this.item.text = text;
    this.item.command = args ? { command: this.command, title: this.name, arguments: args } : this.command;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: spokenStatus(tooltip), role: 'button' };
    this.item.backgroundColor = color === undefined ? undefined : new vscode.ThemeColor(color);
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
