import * as vscode from 'vscode';
import { nameOfFolder } from './folderName.ts';
import { type DefinedRun, namesOthers } from './mayRun.ts';
import { onOneLine } from './onOneLine.ts';
import { Refusal } from './refusal.ts';
import { allTasks, asRemark, entriesNamed, inputsNamed, terminalOf } from './taskList.ts';

/** One that the user could choose in *Run and Debug*. */
export interface LaunchConfiguration {
  readonly name: string;
  /** Undefined for a compound. */
  readonly type: string | undefined;
  readonly folder: vscode.WorkspaceFolder | undefined;
  /** As the settings or a launch.json have it. */
  readonly entry: Record<string, unknown>;
  /** Of a compound: what it starts. */
  readonly members: readonly LaunchConfiguration[];
}

/** Those of each launch.json, then those of the workspace file and of the user's settings. */
export function launchConfigurations(): LaunchConfiguration[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const isSingle = folders.length === 1 && vscode.workspace.workspaceFile === undefined;
  const found = folders.flatMap((folder) => {
    const values = vscode.workspace.getConfiguration(undefined, folder.uri).inspect<Launch>('launch');
    return inLaunch(values?.workspaceFolderValue ?? (isSingle ? values?.workspaceValue : undefined), folder);
  });
  const values = vscode.workspace.getConfiguration().inspect<Launch>('launch');
  const shared = [isSingle ? undefined : values?.workspaceValue, values?.globalValue];
  return [...found, ...shared.flatMap((launch) => inLaunch(launch, undefined))];
}

interface Launch {
  readonly configurations?: unknown;
  readonly compounds?: unknown;
}

function inLaunch(
  launch: Launch | undefined,
  folder: vscode.WorkspaceFolder | undefined,
): LaunchConfiguration[] {
  const of = (entry: Record<string, unknown>, members: readonly LaunchConfiguration[]) => {
    const { name, type } = entry;
    return typeof name === 'string'
      ? [{ name, type: typeof type === 'string' ? type : undefined, folder, entry, members }]
      : [];
  };
  const single = entries(launch?.configurations).flatMap((entry) => of(entry, []));
  const compounds = entries(launch?.compounds).flatMap((entry) => {
    const names = Array.isArray(entry['configurations']) ? entry['configurations'] : [];
    return of(
      entry,
      single.filter(({ name }) => names.includes(name)),
    );
  });
  return [...single, ...compounds];
}

/** @throws Refusal where there is none, or more than one */
export function configurationNamed(name: string, folder: string | undefined): LaunchConfiguration {
  const named = launchConfigurations().filter(
    (each) =>
      each.name === name && (folder === undefined || (each.folder && nameOfFolder(each.folder) === folder)),
  );
  const [found] = named;
  if (!found) {
    throw new Refusal(
      `There is no launch configuration "${onOneLine(name)}" in a launch.json: debugSessions lists those that there are.`,
    );
  }
  if (named.length > 1) {
    const others = named.map((each) => `"${onOneLine(each.folder ? nameOfFolder(each.folder) : '')}"`);
    throw new Refusal(
      `Several folders have a launch configuration of that name: ${others.join(', ')}. Say which folder.`,
    );
  }
  return found;
}

/** What the user is asked about before it is started. @throws Refusal as `allTasks`, of which tasks with it may be asked */
export async function startAsWhatRuns(
  configuration: LaunchConfiguration,
  signal: AbortSignal,
): Promise<DefinedRun> {
  const { name, folder } = configuration;
  const place = folder?.uri.toString() ?? '';
  const text = textOf(configuration);
  const within = placeOf(configuration);
  const terminal = terminalOf(within);
  const tasks = await entriesNamed(tasksOf(configuration), within, () => allTasks(signal));
  const inputs = [...inputsNamed(text, 'launch', folder), ...inputsNamed(tasks.join(), 'tasks', within)];
  const definition = [`debug ${place} ${text}`, ...terminal, ...tasks, ...inputs].join('\n');
  return {
    title: `Debug ${onOneLine(name, 40)}?`,
    words: `wants to start "${onOneLine(name)}" in the debugger${folder ? ` (${onOneLine(nameOfFolder(folder))})` : ''}`,
    code: [
      text,
      ...terminal.map(asRemark),
      ...(tasks.length === 0 ? [] : ['# With these tasks:', ...tasks.map(asRemark)]),
      ...inputs.map(asRemark),
    ].join('\n'),
    always: 'Always Start This Configuration',
    exactly: isWhole(configuration) ? definition : undefined,
    definition,
  };
}

/** The folder in which it is started, and whose tasks it names. */
function placeOf({ folder }: LaunchConfiguration): vscode.WorkspaceFolder | undefined {
  return folder ?? vscode.workspace.workspaceFolders?.[0];
}

/** With what a compound starts. */
function textOf({ entry, members }: LaunchConfiguration): string {
  return [entry, ...members.map((each) => each.entry)]
    .map((each) => JSON.stringify(each, null, 2))
    .join('\n');
}

/** @throws what the editor does. @returns false where it has told the user why not */
export async function start(configuration: LaunchConfiguration): Promise<boolean> {
  const { name, type, entry } = configuration;
  // What the user has seen: by its name the editor would take what is in the file by now.
  return vscode.debug.startDebugging(
    placeOf(configuration),
    type === undefined ? name : ({ ...entry, name, type } as vscode.DebugConfiguration),
  );
}

/** Runs only what is written in it, wherever in it that stands. */
function isWhole(configuration: LaunchConfiguration): boolean {
  const text = textOf(configuration);
  return configuration.type !== undefined && !runsOthers.test(text) && !namesOthers(text);
}

const taskKeys = ['preLaunchTask', 'postDebugTask', 'preRestartTask', 'postRestartTask'];
const runsOthers = new RegExp(`"(${taskKeys.join('|')}|serverReadyAction)"\\s*:`);

/** The names of tasks that the editor runs with it, wherever in it they stand. */
function tasksOf({ entry, members }: LaunchConfiguration): unknown[] {
  const names: unknown[] = [];
  JSON.stringify([entry, ...members.map((each) => each.entry)], (key, value: unknown) => {
    if (taskKeys.includes(key)) {
      names.push(value);
    }
    return value;
  });
  return names;
}

function entries(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
    : [];
}
