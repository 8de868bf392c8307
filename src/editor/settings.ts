import * as vscode from 'vscode';
import { type Settings, settingRules, type Tighten } from './settingNames.ts';

/** The value that holds. Of those that a workspace may tighten each look costs 0.15 ms: not for each file or line. */
export function setting<K extends keyof Settings>(name: K): Settings[K] {
  const rule = settingRules[name];
  const configuration = vscode.workspace.getConfiguration('ideBridge');
  const value =
    typeof rule === 'function'
      ? tightened<Settings[K]>(configuration, name, rule)
      : configuration.get<Settings[K]>(name);
  if (value === undefined) {
    throw new Error(`The setting ideBridge.${name} has no default in package.json.`);
  }
  return value;
}

/** @param act also when the value that holds stays the same, as another one has changed that matters for it */
export function onDidChangeSetting(name: keyof Settings, act: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(`ideBridge.${name}`)) {
      act();
    }
  });
}

function tightened<T>(
  configuration: vscode.WorkspaceConfiguration,
  name: string,
  tighten: Tighten<T>,
): T | undefined {
  const found = configuration.inspect<T>(name);
  const user = found?.globalValue ?? found?.defaultValue;
  return [found?.workspaceValue, found?.workspaceFolderValue].reduce(
    // One of another type, which the editor lets pass, is none.
    (value, workspace) =>
      value === undefined || !isOfType(workspace, value) ? value : tighten(value, workspace),
    user,
  );
}

function isOfType<T>(value: unknown, model: T): value is T {
  return typeof value === typeof model && Array.isArray(value) === Array.isArray(model);
}
