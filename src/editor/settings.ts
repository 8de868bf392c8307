import * as vscode from 'vscode';
import type { Settings } from './settingNames.ts';

export function setting<K extends keyof Settings>(name: K): Settings[K] {
  const value = vscode.workspace.getConfiguration('ideBridge').get<Settings[K]>(name);
  if (value === undefined) {
    throw new Error(`The setting ideBridge.${name} has no default in package.json.`);
  }
  return value;
}
