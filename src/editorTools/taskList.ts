import { join } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { readSmallFile } from '../server/smallFile.ts';
import { nameOfFolder } from './folderName.ts';
import { type DefinedRun, namesOthers } from './mayRun.ts';
import { onOneLine } from './onOneLine.ts';
import { Refusal } from './refusal.ts';
import { late, within } from '../base/within.ts';

/** ms in which the extensions that know tasks have to say so. */
const patience = 20_000;

/** UTF-16 units of the options of a task, or of one before it, that are shown. */
const maxShown = 4_000;

/** By which a task is named; where several have the same name, the others tell them apart. */
export interface TaskName {
  name: string;
  source?: string | undefined;
  folder?: string | undefined;
}

/** Every task that the editor knows. @throws Refusal where that takes too long, or the signal comes first */
export async function allTasks(signal: AbortSignal): Promise<vscode.Task[]> {
  const tasks = await within(patience, signal, vscode.tasks.fetchTasks());
  if (tasks === late) {
    throw new Refusal(`The editor did not list its tasks within ${patience / 1_000} seconds. Try again.`);
  }
  return tasks;
}

/** @throws Refusal where there is none, or more than one */
export function taskNamed(wanted: TaskName, all: readonly vscode.Task[]): vscode.Task {
  const named = all.filter(
    (task) =>
      task.name === wanted.name &&
      (wanted.source === undefined || task.source === wanted.source) &&
      (wanted.folder === undefined || folderName(task) === wanted.folder),
  );
  const [task] = named;
  if (!task) {
    throw new Refusal(
      `The editor has no task ${quoted(wanted.name)}: the tool tasks lists those that it has.`,
    );
  }
  if (named.length > 1) {
    const others = named.map((each) => {
      const folder = folderName(each);
      return `source ${quoted(each.source)}${folder === undefined ? '' : `, folder ${quoted(folder)}`}`;
    });
    throw new Refusal(
      `There are ${named.length} tasks ${quoted(wanted.name)}: ${others.join('; ')}. Say which.`,
    );
  }
  return task;
}

/** Of the workspace folder that a task belongs to, see `nameOfFolder`. */
export function folderName({ scope }: vscode.Task): string | undefined {
  return typeof scope === 'object' ? nameOfFolder(scope) : undefined;
}

export function isRunning(task: vscode.Task): boolean {
  return vscode.tasks.taskExecutions.some((execution) => isSameTask(execution.task, task));
}

function isSameTask(one: vscode.Task, other: vscode.Task): boolean {
  return one.name === other.name && one.source === other.source && folderName(one) === folderName(other);
}

/** The command line of a task, its variables not replaced; undefined where the editor does not tell it. */
export function commandLine({ execution }: vscode.Task): string | undefined {
  if (execution instanceof vscode.ProcessExecution) {
    return [execution.process, ...execution.args].join(' ');
  }
  if (!(execution instanceof vscode.ShellExecution)) {
    return undefined;
  }
  const { commandLine: line, command, args } = execution;
  return line ?? [command, ...(args ?? [])].map(plain).join(' ');
}

function plain(word: string | vscode.ShellQuotedString | undefined): string {
  return typeof word === 'object' ? word.value : (word ?? '');
}

/**
 * What the user is asked about before it is run.
 * @param all tasks of the editor
 */
export async function taskAsWhatRuns(task: vscode.Task, all: readonly vscode.Task[]): Promise<DefinedRun> {
  const { name, source, detail, definition: named, execution, scope } = task;
  const folder = folderName(task);
  const of = [source, ...(folder === undefined ? [] : [folder])].map((each) => onOneLine(each));
  const line = commandLine(task);
  const entries = configured(task);
  const first = await entriesNamed(dependenciesOf(entries), scope, () => Promise.resolve(all));
  const scripts = scriptsOf(task);
  const terminal = terminalOf(scope);
  const own = JSON.stringify([
    [name, source, detail, named],
    typeof scope === 'object' ? scope.uri.toString() : scope,
    line,
    execution instanceof vscode.CustomExecution ? undefined : execution?.options,
    [entries, scripts, first, terminal],
  ]);
  const inputs = inputsNamed(own, 'tasks', scope);
  const definition = [own, ...inputs].join('\n');
  const options = optionsOf(execution);
  // Else it could change unseen: other tasks before it, what it takes from elsewhere, and what an extension runs itself.
  const isWhole =
    line !== undefined && first.length === 0 && !namesOthers(definition) && !scripts.includes(unreadable);
  const isDetailTold = detail === undefined || line === undefined || line.includes(detail);
  return {
    title: `Run task ${onOneLine(name, 40)}?`,
    words: `wants to run the task "${onOneLine(name)}" (${of.join(', ')})`,
    code: [
      line ?? asRemark(untold(task)),
      ...(isDetailTold || scripts.length > 0 ? [] : [asRemark(detail)]),
      ...scripts.map(asRemark),
      ...(options === undefined ? [] : [asRemark(`With ${options}`)]),
      ...terminal.map(asRemark),
      ...(first.length === 0 ? [] : ['# First:', ...first.map(asRemark)]),
      ...inputs.map(asRemark),
    ].join('\n'),
    always: 'Always Run This Task',
    exactly: isWhole ? definition : undefined,
    definition,
  };
}

/** Instead of a command line. */
function untold({ source }: vscode.Task): string {
  return `The editor does not tell what this task runs: an extension provides it ("${onOneLine(source)}").`;
}

/** What `npm install` runs of a package's own scripts. */
const ofInstall = [
  ...['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'],
  ...['predependencies', 'dependencies', 'postdependencies'],
];

/** Of a package.json, in bytes. */
const maxPackage = 1_000_000;

const npmTask = z.object({ type: z.literal('npm'), script: z.string(), path: z.optional(z.string()) });
const packageScripts = z.object({ scripts: z.optional(z.record(z.string(), z.unknown())) });

/** What runs such scripts: other extensions have tasks of that type, too. */
const packageManager = /^(npm|yarn|pnpm|bun|node) /;

const unreadable = 'The scripts of package.json cannot be read.';

/** The scripts of package.json that a task of npm runs, with those that npm runs before and after it by their names. */
function scriptsOf(task: vscode.Task): string[] {
  const { scope } = task;
  const { data } = z.safeParse(npmTask, task.definition);
  if (!data || typeof scope !== 'object' || !packageManager.test(commandLine(task) ?? '')) {
    return [];
  }
  const { script, path = '' } = data;
  const names = script === 'install' ? ofInstall : [`pre${script}`, script, `post${script}`];
  const file = join(scope.uri.fsPath, path, 'package.json');
  const text = readSmallFile(file, { followLinks: true, limit: maxPackage })?.text;
  const found = z.safeParse(packageScripts, text === undefined ? undefined : jsonIn(text));
  if (!found.success) {
    return [unreadable];
  }
  const { scripts = {} } = found.data;
  return names
    .filter((name) => Object.hasOwn(scripts, name))
    .map((name) => `Script ${JSON.stringify(name)}: ${JSON.stringify(scripts[name])}`);
}

/** Undefined for what is none. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** But for the folder where each runs that names none. */
function optionsOf(execution: vscode.Task['execution']): string | undefined {
  if (!execution || execution instanceof vscode.CustomExecution) {
    return undefined;
  }
  const { cwd, ...others } = execution.options ?? {};
  const text = JSON.stringify({ ...(cwd !== '${workspaceFolder}' && { cwd }), ...others });
  return text === '{}' ? undefined : text;
}

/** What the workspace, into which an agent can write, has set for terminals: their environment, their shell. */
export function terminalOf(scope: vscode.Task['scope']): string[] {
  const folder = typeof scope === 'object' ? scope.uri : undefined;
  const settings = vscode.workspace.getConfiguration('terminal.integrated', folder);
  const platform = { win32: 'windows', darwin: 'osx' }[process.platform as string] ?? 'linux';
  return ['env', 'automationProfile', 'defaultProfile', 'profiles'].flatMap((name) => {
    const key = `${name}.${platform}`;
    const { workspaceValue, workspaceFolderValue = workspaceValue } = settings.inspect(key) ?? {};
    return workspaceFolderValue === undefined
      ? []
      : [`With terminal.integrated.${key} ${JSON.stringify(workspaceFolderValue)}`];
  });
}

export function asRemark(text: string): string {
  return `# ${onOneLine(text, maxShown)}`;
}

interface ConfiguredTask {
  readonly label?: unknown;
  readonly taskName?: unknown;
  readonly dependsOn?: unknown;
  readonly type?: unknown;
}

/** What tasks.json says of it: entries by its name, and those without one, of which an extension makes the name. */
function configured(task: vscode.Task): ConfiguredTask[] {
  return entriesFor(task.scope).filter((each) => {
    const name = each.label ?? each.taskName;
    return name === undefined || name === task.name;
  });
}

function entriesFor(scope: vscode.Task['scope']): ConfiguredTask[] {
  return listed('tasks', 'tasks', scope);
}

/**
 * Tasks and what is run before them, each as tasks.json has it, and as the editor knows it where that does not say what it
 * runs, or does not have it; none twice.
 * @param load all tasks of the editor
 */
export async function entriesNamed(
  names: readonly unknown[],
  scope: vscode.Task['scope'],
  load: () => Promise<readonly vscode.Task[]>,
): Promise<string[]> {
  const all = entriesFor(scope);
  const found = new Map<string, string>();
  const add = async (wanted: readonly unknown[]) => {
    for (const name of wanted) {
      const key = JSON.stringify(name);
      if (!found.has(key)) {
        const named = all.filter(({ label, taskName }) => (label ?? taskName) === name);
        const isWritten = named.length > 0 && named.every(({ type = 'shell' }) => own.includes(type));
        const known = isWritten ? [] : (await load()).filter((task) => isMeant(task, name, scope));
        const told = [...named.map((each) => JSON.stringify(each)), ...known.map((each) => asNamed(each))];
        found.set(key, told.join(' ') || key);
        await add(dependenciesOf([...named, ...known.flatMap(configured)]));
      }
    }
  };
  await add(names);
  return [...found.values()];
}

/** Types of tasks whose command line tasks.json has. */
const own: readonly unknown[] = ['shell', 'process'];

/** Whether a tasks.json or launch.json of that folder may mean this task by that: a label, or what defines it. */
function isMeant(task: vscode.Task, name: unknown, scope: vscode.Task['scope']): boolean {
  const { definition, source } = task;
  if (typeof scope === 'object' && typeof task.scope === 'object' && scope.index !== task.scope.index) {
    return false;
  }
  return typeof name === 'object' && name !== null
    ? Object.entries(name).every(([key, value]) => JSON.stringify(definition[key]) === JSON.stringify(value))
    : [task.name, `${source}: ${task.name}`].some((each) => each === name);
}

/** One that is run with another, for which the folder and the terminal are the same. */
function asNamed(task: vscode.Task): string {
  const options = optionsOf(task.execution);
  return [
    `"${task.name}" (${task.source}): ${commandLine(task) ?? untold(task)}`,
    ...scriptsOf(task),
    ...(options === undefined ? [] : [`With ${options}`]),
  ].join(' ');
}

/** What a tasks.json or launch.json has of the inputs that a text of it names: a command of the editor may give one. */
export function inputsNamed(text: string, of: 'tasks' | 'launch', scope: vscode.Task['scope']): string[] {
  return listed<{ id?: unknown }>(of, 'inputs', scope)
    .filter(({ id }) => text.includes(`\${input:${String(id)}}`))
    .map((each) => `Input ${JSON.stringify(each)}`);
}

/** What stands in a list beside what has the scope: where that is no folder, in a workspace file, or with the user's own. */
function listed<T extends object>(section: string, key: string, scope: vscode.Task['scope']): T[] {
  const folder = typeof scope === 'object' ? scope.uri : undefined;
  const settings = vscode.workspace.getConfiguration(section, folder);
  const { workspaceValue, globalValue } = settings.inspect<unknown>(key) ?? {};
  const lists = folder
    ? [settings.get<unknown>(key)]
    : [vscode.workspace.workspaceFile && workspaceValue, globalValue];
  return lists.flat().filter((each): each is T => typeof each === 'object' && each !== null);
}

function dependenciesOf(entries: readonly ConfiguredTask[]): unknown[] {
  return entries.flatMap(({ dependsOn }) => (dependsOn === undefined ? [] : [dependsOn].flat()));
}

function quoted(text: string): string {
  return `"${onOneLine(text)}"`;
}
