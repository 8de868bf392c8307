import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { WhatRuns } from './mayRun.ts';
import { onOneLine } from './onOneLine.ts';
import { Refusal } from './refusal.ts';

/** One that the user could choose in *Run and Debug*. */
export interface LaunchConfiguration {
  readonly name: string;
  /** Undefined for a compound. */
  readonly type: string | undefined;
  readonly folder: vscode.WorkspaceFolder | undefined;
  /** As the settings or a launch.json have it. */
  readonly text: string;
  /** Runs only what is written in it. */
  readonly isWhole: boolean;
}

/** Those of each launch.json, and of the settings. */
export function launchConfigurations(): LaunchConfiguration[] {
  const folders = vscode.workspace.workspaceFolders ?? [undefined];
  const found = folders.flatMap((folder) => {
    const launch = vscode.workspace.getConfiguration('launch', folder?.uri);
    const all = [...entries(launch.get('configurations')), ...entries(launch.get('compounds'))];
    return all.flatMap((entry): LaunchConfiguration[] => {
      const { name, type, preLaunchTask } = entry;
      return typeof name === 'string'
        ? [
            {
              name,
              type: typeof type === 'string' ? type : undefined,
              folder,
              text: JSON.stringify(entry, null, 2),
              isWhole: typeof type === 'string' && preLaunchTask === undefined,
            },
          ]
        : [];
    });
  });
  // Those of a workspace file or of the user's settings are the same in each folder.
  return found.filter(
    ({ name, text }, index) => found.findIndex((each) => each.name === name && each.text === text) === index,
  );
}

/** @throws Refusal where there is none, or more than one */
export function configurationNamed(name: string, folder: string | undefined): LaunchConfiguration {
  const named = launchConfigurations().filter(
    (each) => each.name === name && (folder === undefined || each.folder?.name === folder),
  );
  const [found] = named;
  if (!found) {
    throw new Refusal(
      `There is no launch configuration "${onOneLine(name)}" in a launch.json: debugSessions lists those that there are.`,
    );
  }
  if (named.length > 1) {
    const others = named.map((each) => `"${onOneLine(each.folder?.name ?? '')}"`);
    throw new Refusal(
      `Several folders have a launch configuration of that name: ${others.join(', ')}. Say which folder.`,
    );
  }
  return found;
}

/** What the user is asked about before it is started. */
export function startAsWhatRuns({ name, folder, text, isWhole }: LaunchConfiguration): WhatRuns {
  const place = folder?.uri.toString() ?? '';
  return {
    title: `Debug ${onOneLine(name, 40)}?`,
    words: `wants to start "${onOneLine(name)}" in the debugger${folder ? ` (${onOneLine(folder.name)})` : ''}`,
    code: text,
    always: 'Always Start This Configuration',
    fingerprint: isWhole ? createHash('sha256').update(`debug ${place} ${text}`).digest('hex') : undefined,
  };
}

function entries(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
    : [];
}
