import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import { setting } from '../editor/settings.ts';
import { problemOfKey } from './keyProblem.ts';

/** By which the editor's secret storage has it. */
const storedAs = 'ideBridge.apiKey';

export const setApiKeyTitle = 'Set API Key of Claude in the Chat';

export function storedKey(secrets: vscode.SecretStorage): Thenable<string | undefined> {
  return secrets.get(storedAs);
}

/** Asks for the key, and stores it. It is told nowhere. */
export async function setApiKey(secrets: vscode.SecretStorage): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: setApiKeyTitle,
    prompt: 'The editor keeps it in its secret storage. Claude Code itself never gets it.',
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => problemOfKey(text, setting('agent.apiUrl')),
  });
  if (typed !== undefined && (await did('stored', () => secrets.store(storedAs, typed.trim())))) {
    await offerToUse();
  }
}

export async function removeApiKey(secrets: vscode.SecretStorage): Promise<void> {
  if ((await storedKey(secrets)) === undefined) {
    void vscode.window.showInformationMessage('No API key is stored.');
  } else if (await did('removed', () => secrets.delete(storedAs))) {
    void vscode.window.showInformationMessage('The API key is removed.');
  }
}

async function offerToUse(): Promise<void> {
  if (setting('agent.api') === 'key') {
    void vscode.window.showInformationMessage('The API key is stored.');
    return;
  }
  const use = 'Use It';
  const words = 'The API key is stored. @claude in the chat uses it once ideBridge.agent.api says so.';
  if ((await vscode.window.showInformationMessage(words, use)) === use) {
    const { Global } = vscode.ConfigurationTarget;
    await vscode.workspace.getConfiguration('ideBridge').update('agent.api', 'key', Global);
  }
}

/** A machine without a key ring may refuse. */
async function did(what: string, act: () => Thenable<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    void vscode.window.showErrorMessage(`The API key could not be ${what}: ${errorMessage(error)}`);
    return false;
  }
}
