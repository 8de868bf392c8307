import * as vscode from 'vscode';

/** Sets what the `when` clauses of package.json ask for. */
export function setContext(key: `ideBridge.${string}`, value: unknown): void {
  void vscode.commands.executeCommand('setContext', key, value);
}
