import * as vscode from 'vscode';
import { nameOfFolder } from './folderName.ts';
import { namesOthers, type WhatRuns } from './mayRun.ts';
import { onOneLine } from './onOneLine.ts';
import { Refusal } from './refusal.ts';
import { late, within } from './within.ts';

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
export async function taskNamed(wanted: TaskName, signal: AbortSignal): Promise<vscode.Task> {
  const named = (await allTasks(signal)).filter(
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

/** What the user is asked about before it is run. */
export function asWhatRuns(task: vscode.Task): WhatRuns {
  const folder = folderName(task);
  const of = [task.source, ...(folder === undefined ? [] : [folder])].map((each) => onOneLine(each));
  return {
    title: `Run task ${onOneLine(task.name, 40)}?`,
    words: `wants to run the task "${onOneLine(task.name)}" (${of.join(', ')})`,
    code: shown(task),
    always: 'Always Run This Task',
    exactly: exactly(task),
  };
}

/**
 * All that the editor tells of what it runs, as of now: it reads a tasks.json again before it runs a task, so that another
 * definition is another task.
 */
export function definitionOf(task: vscode.Task): string {
  const own = ownDefinitionOf(task);
  return [own, ...inputsNamed(own, 'tasks', task.scope)].join('\n');
}

/** Without the inputs that it names. */
function ownDefinitionOf(task: vscode.Task): string {
  const { execution, scope } = task;
  return JSON.stringify([
    [task.name, task.source, task.detail, task.definition],
    typeof scope === 'object' ? scope.uri.toString() : scope,
    commandLine(task),
    execution instanceof vscode.CustomExecution ? undefined : execution?.options,
    configured(task),
    before(task),
    terminalOf(task),
  ]);
}

/** The command line, what it is run with, what is run before, and the inputs that all of that names. */
function shown(task: vscode.Task): string {
  const { detail, execution } = task;
  const line = commandLine(task);
  const options = optionsOf(execution);
  const first = before(task);
  return [
    line ?? '# The editor does not tell what this task runs.',
    ...(detail !== undefined && line !== undefined && !line.includes(detail) ? [asRemark(detail)] : []),
    ...(options === undefined ? [] : [asRemark(`With ${options}`)]),
    ...terminalOf(task).map((setting) => asRemark(`With ${setting}`)),
    ...(first.length === 0 ? [] : ['# First:', ...first.map((each) => asRemark(each))]),
    ...inputsNamed(ownDefinitionOf(task), 'tasks', task.scope).map(asRemark),
  ].join('\n');
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

/** What the workspace, into which an agent can write, has set for the terminal of a task: its environment, its shell. */
function terminalOf({ scope }: vscode.Task): string[] {
  const folder = typeof scope === 'object' ? scope.uri : undefined;
  const settings = vscode.workspace.getConfiguration('terminal.integrated', folder);
  const platform = { win32: 'windows', darwin: 'osx' }[process.platform as string] ?? 'linux';
  return ['env', 'automationProfile', 'defaultProfile', 'profiles'].flatMap((name) => {
    const key = `${name}.${platform}`;
    const { workspaceValue, workspaceFolderValue = workspaceValue } = settings.inspect(key) ?? {};
    return workspaceFolderValue === undefined
      ? []
      : [`terminal.integrated.${key} ${JSON.stringify(workspaceFolderValue)}`];
  });
}

export function asRemark(text: string): string {
  return `# ${onOneLine(text, maxShown)}`;
}

/**
 * Says exactly what is run. Undefined where what is run is not all known, so that it could change unseen: other tasks
 * before it, what it takes from elsewhere, and what an extension runs itself.
 */
function exactly(task: vscode.Task): string | undefined {
  const definition = definitionOf(task);
  const isKnown = commandLine(task) !== undefined && before(task).length === 0 && !namesOthers(definition);
  return isKnown ? definition : undefined;
}

interface ConfiguredTask {
  readonly label?: unknown;
  readonly taskName?: unknown;
  readonly dependsOn?: unknown;
}

/** What tasks.json says of it: entries by its name, and those without one, of which an extension makes the name. */
function configured(task: vscode.Task): ConfiguredTask[] {
  return entriesFor(task.scope).filter((each) => {
    const name = each.label ?? each.taskName;
    return name === undefined || name === task.name;
  });
}

function entriesFor(scope: vscode.Task['scope']): ConfiguredTask[] {
  const folder = typeof scope === 'object' ? scope.uri : undefined;
  const tasks = vscode.workspace.getConfiguration('tasks', folder).get<unknown>('tasks');
  return Array.isArray(tasks)
    ? tasks.filter((each): each is ConfiguredTask => typeof each === 'object' && each !== null)
    : [];
}

/** What is run before a task, see `entriesNamed`. */
function before(task: vscode.Task): string[] {
  return entriesNamed(dependenciesOf(configured(task)), task.scope);
}

/** Tasks and what is run before them, each as tasks.json has it, or by its name where that does not have it; none twice. */
export function entriesNamed(names: readonly unknown[], scope: vscode.Task['scope']): string[] {
  const all = entriesFor(scope);
  const found = new Map<string, string>();
  const add = (wanted: readonly unknown[]) => {
    for (const name of wanted) {
      const key = JSON.stringify(name);
      if (!found.has(key)) {
        const named = all.filter(({ label, taskName }) => (label ?? taskName) === name);
        found.set(key, named.length > 0 ? named.map((each) => JSON.stringify(each)).join(' ') : key);
        add(dependenciesOf(named));
      }
    }
  };
  add(names);
  return [...found.values()];
}

/** What a tasks.json or launch.json has of the inputs that a text of it names: a command of the editor may give one. */
export function inputsNamed(text: string, of: 'tasks' | 'launch', scope: vscode.Task['scope']): string[] {
  const folder = typeof scope === 'object' ? scope.uri : undefined;
  const inputs = vscode.workspace.getConfiguration(of, folder).get<unknown>('inputs');
  return Array.isArray(inputs)
    ? (inputs as ({ id?: unknown } | null)[])
        .filter((each) => text.includes(`\${input:${String(each?.id)}}`))
        .map((each) => `Input ${JSON.stringify(each)}`)
    : [];
}

function dependenciesOf(entries: readonly ConfiguredTask[]): unknown[] {
  return entries.flatMap(({ dependsOn }) => (dependsOn === undefined ? [] : [dependsOn].flat()));
}

function quoted(text: string): string {
  return `"${onOneLine(text)}"`;
}
