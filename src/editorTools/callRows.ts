import * as vscode from 'vscode';
import { commandIds } from '../editor/commandIds.ts';
import type { Reports } from '../editor/reports.ts';
import { Call, type CallingClient, type Calls, type CallState } from './calls.ts';
import {
  callDescription,
  callFacts,
  callReport,
  callText,
  clientDescription,
  stateAndCall,
} from './callWords.ts';

export type CallNode = CallingClient | Call;

const icons: Readonly<Record<CallState, [icon: string, color?: string]>> = {
  asks: ['question', 'list.warningForeground'],
  runs: ['loading~spin'],
  done: ['pass', 'testing.iconPassed'],
  refused: ['circle-slash'],
  failed: ['error', 'list.errorForeground'],
  cancelled: ['debug-disconnect'],
};

/** How clients and their calls look in the view of the sessions. All names come from outside, and none is Markdown. */
export class CallRows {
  constructor(
    private readonly calls: Calls,
    private readonly reports: Reports,
  ) {}

  /** What waits for the user, in words. */
  get questions(): string[] {
    return this.calls.asking.map((call) => `${call.client.name}: ${stateAndCall(call)}`);
  }

  item(node: CallNode): vscode.TreeItem {
    return node instanceof Call ? callItem(node) : this.clientItem(node);
  }

  /** Goes to the question while there is one, else shows all of it. */
  async show(call: Call): Promise<void> {
    if (call.question) {
      await call.question();
    } else {
      await this.reports.show('Call of an Editor Tool.txt', {
        text: callReport(call),
        // With one it is shown as it is, not rendered.
        actions: [{ line: 0, title: 'Show the Log', command: commandIds.showLog }],
      });
    }
  }

  private clientItem(client: CallingClient): vscode.TreeItem {
    const { name, calls } = client;
    const same = this.calls.clients.filter((each) => each !== client && each.name === name).length;
    const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Collapsed);
    item.description = clientDescription(client, same);
    item.tooltip = `${name}: ${item.description}`;
    const asking = calls.find(({ state }) => state === 'asks');
    const isBusy = asking ?? calls.find(({ state }) => state === 'runs');
    item.iconPath = isBusy ? iconOf(isBusy) : new vscode.ThemeIcon('tools');
    if (asking) {
      item.tooltip += '\nClick to go to its question';
      item.command = showing(asking);
    }
    item.contextValue = 'client';
    return item;
  }
}

function callItem(call: Call): vscode.TreeItem {
  const item = new vscode.TreeItem(callText(call, 100));
  item.description = callDescription(call);
  const click = call.question ? 'Click to go to its question' : 'Click to show it whole';
  item.tooltip = [...callFacts(call), click].join('\n');
  item.iconPath = iconOf(call);
  item.contextValue = 'call';
  item.command = showing(call);
  return item;
}

function iconOf({ state }: Call): vscode.ThemeIcon {
  const [icon, color] = icons[state];
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}

function showing(call: Call): vscode.Command {
  return { command: commandIds.showCall, title: 'Show Call', arguments: [call] };
}
