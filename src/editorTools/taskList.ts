import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { WhatRuns } from './mayRun.ts';
import { Refusal } from './refusal.ts';
import { onOneLine } from './onOneLine.ts';

/** ms in which the extensions that know tasks have to say so. */
const patience = 20_000;

/** By which a task is named; where several have the same name, the others tell them apart. */
export interface TaskName {
  name: string;
  source?: string | undefined;
  folder?: string | undefined;
}

/** Every task that the editor knows. @throws Refusal where that takes too long, or the signal comes first */
export async function allTasks(signal: AbortSignal): Promise<vscode.Task[]> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  const tasks = await Promise.race([
    vscode.tasks.fetchTasks(),
    new Promise<undefined>((resolve) => {
      over.addEventListener('abort', () => resolve(undefined), { once: true });
    }),
  ]);
  if (!tasks) {
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

/** Of the workspace folder that a task belongs to. */
export function folderName({ scope }: vscode.Task): string | undefined {
  return typeof scope === 'object' ? scope.name : undefined;
}

export function isSameTask(one: vscode.Task, other: vscode.Task): boolean {
  return one.name === other.name && one.source === other.source && folderName(one) === folderName(other);
}

export function isRunning(task: vscode.Task): boolean {
  return vscode.tasks.taskExecutions.some((execution) => isSameTask(execution.task, task));
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
    code: lines(task),
    always: 'Always Run This Task',
    fingerprint: fingerprint(task),
  };
}

/** The command line, as far as the editor tells it, and what comes first. */
function lines(task: vscode.Task): string {
  const line = commandLine(task);
  const { dependsOn } = configuredAs(task) ?? {};
  return [
    line ?? '# The editor does not tell what this task runs.',
    ...(task.detail !== undefined && line !== undefined && !line.includes(task.detail)
      ? [`# ${onOneLine(task.detail, 2_000)}`]
      : []),
    ...(dependsOn === undefined ? [] : [`# First: ${[dependsOn].flat().map(dependency).join(', ')}`]),
  ].join('\n');
}

function dependency(name: unknown): string {
  return onOneLine(typeof name === 'string' ? name : JSON.stringify(name));
}

/**
 * Stands for exactly this task: another command line, environment or definition has another. Undefined where what is
 * run is not all known, so that it could change unseen: other tasks before it, and what an extension runs itself.
 */
function fingerprint(task: vscode.Task): string | undefined {
  const { execution } = task;
  const configured = configuredAs(task);
  if (commandLine(task) === undefined || configured?.dependsOn !== undefined) {
    return undefined;
  }
  const known = [
    [task.name, task.source, task.detail, task.definition],
    typeof task.scope === 'object' ? task.scope.uri.toString() : task.scope,
    commandLine(task),
    execution instanceof vscode.CustomExecution ? undefined : execution?.options,
    configured,
  ];
  return createHash('sha256').update(JSON.stringify(known)).digest('hex');
}

interface ConfiguredTask {
  readonly label?: unknown;
  readonly taskName?: unknown;
  readonly dependsOn?: unknown;
}

/** As a tasks.json has it; undefined for a task that is not of one. */
function configuredAs({ name, scope }: vscode.Task): ConfiguredTask | undefined {
  const folder = typeof scope === 'object' ? scope.uri : undefined;
  const tasks = vscode.workspace.getConfiguration('tasks', folder).get<unknown>('tasks');
  return Array.isArray(tasks)
    ? ((tasks as (ConfiguredTask | null)[]).find((each) => (each?.label ?? each?.taskName) === name) ??
        undefined)
    : undefined;
}

function quoted(text: string): string {
  return `"${onOneLine(text)}"`;
}
