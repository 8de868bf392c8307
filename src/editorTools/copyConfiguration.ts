import * as vscode from 'vscode';
import { setting } from '../editor/settings.ts';
import { claudeCommand, httpConfiguration, stdioConfiguration } from './configurations.ts';

export interface Configured {
  /** Puts the program for clients of stdio where they find it. @returns where. @throws Error when that fails */
  readonly program: () => string;
  /** @throws Error when the bridge does not run */
  readonly address: () => { port: number; token: string };
}

/** Copies what another MCP client has to be told, and says where it belongs. */
export async function copyConfiguration({ program, address }: Configured): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const items = [
    {
      label: '$(terminal) Claude Code',
      detail: 'Adds the tools to sessions in any terminal, by Node 20 or newer; without the token',
      text: () => claudeCommand(setting('command'), program()),
      then: 'Copied: paste it into a terminal.',
    },
    {
      label: '$(server-process) Another Client, by a Program (stdio)',
      detail: 'Finds this window whenever the client starts, by Node 20 or newer; without the token',
      text: () => stdioConfiguration(program(), folder),
      then: 'Copied: paste it into the settings of the client.',
    },
    {
      label: '$(globe) Another Client, by HTTP',
      detail: 'With the token, which is another when this window is opened anew: keep it to yourself',
      text: () => {
        const { port, token } = address();
        return httpConfiguration(port, token);
      },
      then: 'Copied, with the token: for a file of yours alone.',
    },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Copy MCP Configuration',
    placeHolder: 'Which client is to have the editor tools of this window?',
  });
  if (picked) {
    await vscode.env.clipboard.writeText(picked.text());
    void vscode.window.showInformationMessage(picked.then);
  }
}

/** No client would find a tool: says so, with the way to the setting. */
export async function tellOff(): Promise<void> {
  const title = 'Open Setting';
  const words = 'The editor tools are off, so no client would find them: ideBridge.editorTools.enabled';
  if ((await vscode.window.showInformationMessage(words, title)) === title) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'ideBridge.editorTools.enabled');
  }
}
