import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import { errorMessage } from '../base/errors.ts';
import type { Tool } from '../tools/tool.ts';
import { maxText, page, pageOutput, pageText, paging } from './answers.ts';
import { clientName } from './clientName.ts';
import { keepTelling } from './keepTelling.ts';
import { onOneLine } from './onOneLine.ts';
import { plainOutput, tail } from './plainOutput.ts';
import { editorTool, type Found, readingTool } from './readingTool.ts';
import { Refusal } from './refusal.ts';
import type { RunningWorkshop } from './running.ts';
import { allTasks, commandLine, folderName, isRunning, taskAsWhatRuns, taskNamed } from './taskList.ts';
import type { TaskRun } from './taskRuns.ts';

/** s for which a call waits: by default, of a task that runs in the background, and at most. */
const patience = { normal: 120, background: 5, most: 600 };

/** Of output. */
const maxLines = 1_000;

const name = z.string().check(z.minLength(1), z.maxLength(1_000), z.describe('As the tool tasks lists it'));
const lines = z.optional(
  z
    .int()
    .check(
      z.minimum(1),
      z.maximum(maxLines),
      z.describe('How many of the last lines of output; 100 by default'),
    ),
);

const runOutput = {
  run: z.int(),
  name: z.string(),
  source: z.string(),
  state: z.enum(['running', 'ended']),
  exitCode: z.optional(z.int()),
  seconds: z.number(),
  output: z.optional(z.string()),
  linesBefore: z.optional(z.int()),
};

export function tasks({ access }: RunningWorkshop): Tool {
  return readingTool({
    name: 'tasks',
    title: 'Tasks',
    description:
      'The tasks of the editor (tasks.json, scripts of package.json, what extensions find): name, source, command line',
    input: z.object(paging),
    output: z.object({
      tasks: z.array(
        z.object({
          name: z.string(),
          source: z.string(),
          folder: z.optional(z.string()),
          group: z.optional(z.string()),
          command: z.optional(z.string()),
          isBackground: z.boolean(),
          isRunning: z.boolean(),
        }),
      ),
      ...pageOutput,
    }),
    async run(args, { signal }) {
      access.check();
      const shown = await page(await allTasks(signal), args, (task) => {
        const [folder, command] = [folderName(task), commandLine(task)];
        const data = {
          name: onOneLine(task.name, 1_000),
          source: onOneLine(task.source),
          ...(folder !== undefined && { folder: onOneLine(folder) }),
          ...(task.group && { group: task.group.id }),
          ...(command !== undefined && { command: onOneLine(command, 500) }),
          isBackground: task.isBackground,
          isRunning: isRunning(task),
        };
        const notes = [
          data.source,
          data.folder,
          data.group,
          data.isBackground && 'background',
          data.isRunning && 'runs now',
        ].filter(Boolean);
        return {
          line: `${data.name}  (${notes.join(', ')})${data.command ? `  ${data.command}` : ''}`,
          data,
        };
      });
      return { text: pageText(shown, 'task', 'tasks'), data: { tasks: shown.items, ...shown.counts } };
    },
  });
}

export function runTask({ access, runs, mayRun, log }: RunningWorkshop): Tool {
  return editorTool(
    {
      name: 'runTask',
      title: 'Run a Task',
      description: `Runs one of the tasks of the editor, in its terminal, and waits for its end: exit code and output. The user is asked first. A task that still runs when the time is over, or that stays in the background, runs on: see taskOutput. Cancelling the call ends it.`,
      input: z.object({
        name,
        source: z.optional(z.string().check(z.describe('Where several tasks have that name'))),
        folder: z.optional(z.string().check(z.describe('Likewise: name of a workspace folder'))),
        timeoutSeconds: z.optional(
          z
            .int()
            .check(
              z.minimum(1),
              z.maximum(patience.most),
              z.describe(
                `How long to wait; ${patience.normal} by default, ${patience.background} for a background task`,
              ),
            ),
        ),
        lines,
      }),
      output: z.object(runOutput),
      async run(args, call) {
        access.check();
        const { session, signal, tellProgress } = call;
        const find = async () => {
          const all = await allTasks(signal);
          const task = taskNamed(args, all);
          mustNotRun(task); // by the user, or for another client
          return { task, what: await taskAsWhatRuns(task, all) };
        };
        const asked = (await find()).what;
        const begin = async () => {
          await mayRun.must(asked, call, 'running');
          // The editor runs what is there now.
          const { task, what } = await find();
          if (what.definition !== asked.definition) {
            throw new Refusal('This task has become another one meanwhile. Nothing was run: ask again.');
          }
          await mayRun.mustStill(call, 'running');
          log.info(
            `${clientName(session)} runs the task ${onOneLine(task.name)} (${onOneLine(task.source)})`,
          );
          try {
            return await runs.start(task);
          } catch (error) {
            throw new Refusal(`The editor did not run this task: ${onOneLine(errorMessage(error))}`);
          }
        };
        const run = await mayRun.together(asked.definition, call, begin);
        const { task } = run;
        const usual = task.isBackground ? patience.background : patience.normal;
        const telling = keepTelling(tellProgress);
        try {
          await run.follow((args.timeoutSeconds ?? usual) * 1_000, signal);
        } finally {
          telling.dispose();
        }
        log.info(`The task ${onOneLine(task.name)}: ${stateText(run)}`);
        access.check();
        return found(run, args.lines);
      },
    },
    { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  );
}

export function taskOutput({ access, runs }: RunningWorkshop): Tool {
  return readingTool({
    name: 'taskOutput',
    title: 'Output of a Task',
    description: 'What a task that runTask has run printed last, whether it still runs, and its exit code',
    input: z.object({
      run: z.optional(z.int().check(z.describe('As runTask has said; the last one by default'))),
      lines,
    }),
    output: z.object(runOutput),
    run(args) {
      access.check();
      const run = runs.get(args.run);
      if (!run) {
        throw new Refusal(
          args.run === undefined
            ? 'No task was run by these tools since this window was opened.'
            : `There is no run ${args.run} any more: the last ones are kept, until the window is closed or reloaded.`,
        );
      }
      return Promise.resolve(found(run, args.lines));
    },
  });
}

/** Of a task that runs already the editor would ask by itself whether to end it. @throws Refusal */
function mustNotRun(task: vscode.Task): void {
  if (isRunning(task)) {
    throw new Refusal('That task runs already. Nothing was run.');
  }
}

function found(run: TaskRun, maxOf = 100): Found<z.infer<z.ZodMiniObject<typeof runOutput>>> {
  const { id, task, startedAt, endedAt, exitCode, output } = run;
  const printed = output === undefined ? undefined : tail(plainOutput(output), maxOf, maxText);
  return {
    text: [
      `${onOneLine(task.name)} (run ${id}): ${stateText(run)}`,
      ...(printed
        ? [
            printed.lines === 0
              ? 'The editor tells of no output.'
              : printed.before > 0
                ? `The last ${printed.lines} of ${printed.before + printed.lines} lines:`
                : 'Output:',
            printed.text,
          ]
        : ['The editor does not tell what it printed: the user sees it in the terminal.']),
    ]
      .join('\n')
      .trimEnd(),
    data: {
      run: id,
      name: onOneLine(task.name, 1_000),
      source: onOneLine(task.source),
      state: endedAt === undefined ? 'running' : 'ended',
      ...(exitCode !== undefined && { exitCode }),
      seconds: seconds(startedAt, endedAt),
      ...(printed && { output: printed.text, linesBefore: printed.before }),
    },
  };
}

function stateText({ startedAt, endedAt, exitCode }: TaskRun): string {
  const time = `${seconds(startedAt, endedAt)} s`;
  if (endedAt === undefined) {
    return `still runs, since ${time}`;
  }
  return exitCode === undefined
    ? `ended after ${time} without an exit code: it has no process of its own, was ended, or what it depends on has failed`
    : `ended with exit code ${exitCode} after ${time}`;
}

function seconds(from: number, to = Date.now()): number {
  return Math.round((to - from) / 100) / 10;
}
