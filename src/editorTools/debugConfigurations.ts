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
  /** Of a compound: what it starts, wherever that is. */
  readonly members: readonly LaunchConfiguration[];
  /** Whether all of them are known. */
  readonly isComplete: boolean;
}

interface Launch {
  readonly configurations?: unknown;
  readonly compounds?: unknown;
}

/** What stands in one place: a launch.json, the workspace file or the user's settings. */
interface Place {
  readonly folder: vscode.WorkspaceFolder | undefined;
  readonly single: readonly LaunchConfiguration[];
  readonly compounds: readonly Record<string, unknown>[];
}

/** Those of each launch.json, then those of the workspace file and of the user's settings. */
export function launchConfigurations(): LaunchConfiguration[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const isSingle = folders.length === 1 && vscode.workspace.workspaceFile === undefined;
  const found = folders.map((folder) => {
    const values = vscode.workspace.getConfiguration(undefined, folder.uri).inspect<Launch>('launch');
    return inLaunch(values?.workspaceFolderValue ?? (isSingle ? values?.workspaceValue : undefined), folder);
  });
  const values = vscode.workspace.getConfiguration().inspect<Launch>('launch');
  const shared = [isSingle ? undefined : values?.workspaceValue, values?.globalValue];
  const places = [...found, ...shared.map((launch) => inLaunch(launch, undefined))];
  return places.flatMap((place) => [
    ...place.single,
    ...place.compounds.flatMap((entry) =>
      configurationOf(entry, place.folder, membersOf(entry, place, places)),
    ),
  ]);
}

function inLaunch(launch: Launch | undefined, folder: vscode.WorkspaceFolder | undefined): Place {
  return {
    folder,
    single: entries(launch?.configurations).flatMap((entry) => configurationOf(entry, folder)),
    compounds: entries(launch?.compounds),
  };
}

function configurationOf(
  entry: Record<string, unknown>,
  folder: vscode.WorkspaceFolder | undefined,
  members: readonly (LaunchConfiguration | undefined)[] = [],
): LaunchConfiguration[] {
  const { name, type } = entry;
  const found = members.filter((each) => each !== undefined);
  return typeof name === 'string'
    ? [
        {
          name,
          type: typeof type === 'string' ? type : undefined,
          folder,
          entry,
          members: found,
          isComplete: found.length === members.length,
        },
      ]
    : [];
}

/** As the editor finds them: by name in its own place, else in the only one that has it; or in the folder that is named. */
function membersOf(
  { name, configurations }: Record<string, unknown>,
  own: Place,
  places: readonly Place[],
): (LaunchConfiguration | undefined)[] {
  const members: unknown[] = Array.isArray(configurations) ? configurations : [];
  const named = (wanted: unknown, among: readonly Place[]) =>
    among.flatMap(({ single }) => single.find((each) => each.name === wanted) ?? []);
  return members
    .filter((member) => member !== name)
    .map((member) => {
      if (typeof member === 'string') {
        const all = named(member, places);
        return all.length > 1 ? named(member, [own])[0] : all[0];
      }
      const { folder, name } = Object(member) as Record<string, unknown>;
      const all = named(
        name,
        places.filter((place) => place.folder?.name === folder),
      );
      return typeof folder === 'string' && all.length === 1 ? all[0] : undefined;
    });
}

/** @throws Refusal where there is none, or more than one, or what it starts is not known */
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
  if (!found.isComplete) {
    throw new Refusal(
      `The compound "${onOneLine(name)}" names a configuration that is nowhere, or in several folders. Nothing was started.`,
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
  const terminal = new Set<string>();
  const tasks = new Set<string>();
  const inputs = new Set<string>();
  for (const each of [configuration, ...configuration.members]) {
    const within = placeOf(each);
    terminalOf(within).forEach((line) => terminal.add(line));
    const its = await entriesNamed(tasksOf(each), within, () => allTasks(signal));
    its.forEach((line) => tasks.add(line));
    const named = [
      ...inputsNamed(JSON.stringify(each.entry), 'launch', each.folder),
      ...inputsNamed(its.join(), 'tasks', within),
    ];
    named.forEach((line) => inputs.add(line));
  }
  const definition = [`debug ${place} ${text}`, ...terminal, ...tasks, ...inputs].join('\n');
  return {
    title: `Debug ${onOneLine(name, 40)}?`,
    words: `wants to start "${onOneLine(name)}" in the debugger${folder ? ` (${onOneLine(nameOfFolder(folder))})` : ''}`,
    code: [
      text,
      ...[...terminal].map(asRemark),
      ...(tasks.size === 0 ? [] : ['# With these tasks:', ...[...tasks].map(asRemark)]),
      ...[...inputs].map(asRemark),
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

/** With what a compound starts, and where that is. */
function textOf({ entry, folder, members }: LaunchConfiguration): string {
  const shown = (each: unknown) => JSON.stringify(each, null, 2);
  return [
    shown(entry),
    ...members.flatMap((each) => [
      ...(each.folder && each.folder !== folder ? [asRemark(`In ${nameOfFolder(each.folder)}`)] : []),
      shown(each.entry),
    ]),
  ].join('\n');
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
function tasksOf({ entry }: LaunchConfiguration): unknown[] {
  const names: unknown[] = [];
  JSON.stringify(entry, (key, value: unknown) => {
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
