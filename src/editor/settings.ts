import * as vscode from 'vscode';
import type { Settings } from './settingNames.ts';
import { type Tighten, type Tightening, tightening } from './tightening.ts';

/**
 * The value that holds. Of those that a workspace may tighten each look costs 0.15 ms, and as much for each folder of a
 * workspace of several: not for each file or line.
 */
export function setting<K extends keyof Settings>(name: K): Settings[K] {
  const tighten = (tightening as Tightening)[name];
  const configuration = vscode.workspace.getConfiguration('ideBridge');
  const value =
    tighten === undefined
      ? configuration.get<Settings[K]>(name)
      : tightened<Settings[K]>(configuration, name, tighten);
  if (value === undefined) {
    throw new Error(`The setting ideBridge.${name} has no default in package.json.`);
  }
  return value;
}

/**
 * @param name of a setting, or of several: the part that they begin with
 * @param act also when the value that holds stays the same, as another one has changed that matters for it
 */
export function onDidChangeSetting(
  name: keyof Settings | 'share' | 'editorTools',
  act: () => void,
): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`ideBridge.${name}`)) {
        act();
      }
    }),
    // Of what a new one brings the editor tells before its list of folders has it.
    vscode.workspace.onDidChangeWorkspaceFolders(act),
  );
}

function tightened<T>(
  configuration: vscode.WorkspaceConfiguration,
  name: string,
  tighten: Tighten<T>,
): T | undefined {
  const found = configuration.inspect<T>(name);
  const user = found?.globalValue ?? found?.defaultValue;
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  // Those of a folder that is opened by itself are the workspace's. Of several the strictest counts for the whole window.
  const ofFolders = ((workspaceFile && workspaceFolders) ?? []).map(
    ({ uri }) => vscode.workspace.getConfiguration('ideBridge', uri).inspect<T>(name)?.workspaceFolderValue,
  );
  return [found?.workspaceValue, ...ofFolders].reduce(
    // One of another type, which the editor lets pass, is none.
    (value, workspace) =>
      value === undefined || !isOfType(workspace, value) ? value : tighten(value, workspace),
    user,
  );
}

function isOfType<T>(value: unknown, model: T): value is T {
  return typeof value === typeof model && Array.isArray(value) === Array.isArray(model);
}
