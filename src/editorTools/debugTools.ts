import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ToolCall } from '../server/session.ts';
import type { Tool } from '../tools/tool.ts';
import { path } from '../tools/paths.ts';
import { page, pageOutput, pageText, paging, placeText } from './answers.ts';
import { clientName } from './clientName.ts';
import { configurationNamed, launchConfigurations, start, startAsWhatRuns } from './debugConfigurations.ts';
import type { DebuggingWorkshop } from './debugging.ts';
import { type Debuggee, isStopped, root, type StoppedDebuggee } from './debugSessions.ts';
import { nameOfFolder } from './folderName.ts';
import { keepTelling } from './keepTelling.ts';
import { onOneLine } from './onOneLine.ts';
import { plainOutput, tail } from './plainOutput.ts';
import { editorTool, type Found, readingTool } from './readingTool.ts';
import { Refusal } from './refusal.ts';
import { pathOf, shownName } from './sourceLines.ts';
import { counting } from './spots.ts';
import { frameId, stackFrames } from './stackFrames.ts';
import { within } from '../base/within.ts';

/** s for which a call waits for the program to stand still or to end: by default, and at most. */
const patience = { normal: 30, most: 600 };

/** UTF-16 units of a value, and of what a program has printed. */
const maxValue = 1_000;
const maxOutput = 8_000;

const sessionId = z.optional(
  z
    .int()
    .check(
      z.describe('As debugSessions numbers them; by default the one that stands still, or the active one'),
    ),
);
const frame = z.optional(
  z
    .int()
    .check(
      z.minimum(0),
      z.maximum(10_000),
      z.describe('As the tool stack numbers them; 0 by default, the innermost'),
    ),
);
const timeoutSeconds = z.optional(
  z
    .int()
    .check(
      z.minimum(1),
      z.maximum(patience.most),
      z.describe(`How long to wait for the program to stand still or end; ${patience.normal} by default`),
    ),
);

const state = z.enum(['runs', 'stopped', 'ended']);
const frameOutput = z.object({
  frame: z.int(),
  name: z.string(),
  path: z.optional(z.string()),
  line: z.optional(z.int()),
  column: z.optional(z.int()),
  text: z.optional(z.string()),
});
const outcome = {
  session: z.optional(z.int()),
  state,
  reason: z.optional(z.string()),
  exitCode: z.optional(z.int()),
  at: z.optional(frameOutput),
  output: z.string(),
};

export function debugSessions({ access, sessions }: DebuggingWorkshop): Tool {
  return readingTool({
    name: 'debugSessions',
    title: 'Debug Sessions',
    description: 'What is debugged now, and the launch configurations that startDebugging can start',
    input: z.object({}),
    output: z.object({
      sessions: z.array(z.object({ session: z.int(), name: z.string(), type: z.string(), state })),
      configurations: z.array(
        z.object({ name: z.string(), type: z.optional(z.string()), folder: z.optional(z.string()) }),
      ),
    }),
    run() {
      access.check();
      const running = sessions.running.map(({ id, session: { name, type }, stop }) => {
        return {
          session: id,
          name: onOneLine(name),
          type: onOneLine(type),
          state: stop ? 'stopped' : 'runs',
        } as const;
      });
      const configurations = launchConfigurations().map(({ name, type, folder }) => ({
        name: onOneLine(name, 1_000),
        ...(type !== undefined && { type: onOneLine(type) }),
        ...(folder && { folder: onOneLine(nameOfFolder(folder)) }),
      }));
      const text = [
        running.length === 0 ? 'Nothing is debugged now.' : 'Debugged now:',
        ...running.map((each) => `${each.session}  ${each.name}  (${each.type}, ${each.state})`),
        configurations.length === 0 ? 'There is no launch configuration.' : 'Launch configurations:',
        ...configurations.map(
          ({ name, type, folder }) => `${name}  (${[type ?? 'compound', folder].filter(Boolean).join(', ')})`,
        ),
      ].join('\n');
      return Promise.resolve({ text, data: { sessions: running, configurations } });
    },
  });
}

export function startDebugging({ access, sessions, mayRun, log }: DebuggingWorkshop): Tool {
  return editorTool(
    {
      name: 'startDebugging',
      title: 'Start Debugging',
      description:
        'Starts a launch configuration in the debugger, and waits until the program stands still at a breakpoint, or ends. The user is asked first. Set breakpoints before',
      input: z.object({
        name: z.string().check(z.minLength(1), z.maxLength(1_000), z.describe('As debugSessions lists it')),
        folder: z.optional(z.string().check(z.describe('Where several workspace folders have that name'))),
        timeoutSeconds,
      }),
      output: z.object(outcome),
      async run(args, call) {
        access.check();
        const { session, signal, tellProgress } = call;
        const configuration = configurationNamed(args.name, args.folder);
        const seen = await startAsWhatRuns(configuration, signal);
        await mayRun.must(seen, call, 'debugging');
        const now = await startAsWhatRuns(configurationNamed(args.name, args.folder), signal);
        await mayRun.mustStill(call, 'debugging');
        if (now.definition !== seen.definition) {
          throw new Refusal(
            'This configuration has become another one meanwhile. Nothing was started: ask again.',
          );
        }
        log.info(`${clientName(session)} starts the launch configuration ${onOneLine(args.name)}`);
        const before = sessions.latest;
        const names = [configuration, ...configuration.members].map(({ name }) => name);
        const started = () => sessions.startedAs(names, before);
        const time = (args.timeoutSeconds ?? patience.normal) * 1_000;
        const telling = keepTelling(tellProgress);
        try {
          const starting = start(configuration);
          starting.then(started, () => {}); // also where that takes longer: they are ours
          // A task before it may take its time, and the editor may ask the user.
          if ((await within(time, signal, starting)) === false && started().length === 0) {
            throw new Refusal('The editor has not started it: it tells the user why.');
          }
          await sessions.until(() => isSettled(started()), time, signal);
        } finally {
          telling.dispose();
        }
        return told(started(), 0, access, signal);
      },
    },
    { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  );
}

/** What each step is called by the Debug Adapter Protocol. */
const steps = { continue: 'continue', over: 'next', into: 'stepIn', out: 'stepOut', pause: 'pause' } as const;

export function stepDebugging({ access, sessions, mayRun }: DebuggingWorkshop): Tool {
  return editorTool(
    {
      name: 'stepDebugging',
      title: 'Step',
      description:
        'Lets a program in the debugger go on, or makes it stand still (pause), and waits until it stands still again, or ends',
      input: z.object({
        how: z.enum(['continue', 'over', 'into', 'out', 'pause']),
        session: sessionId,
        timeoutSeconds,
      }),
      output: z.object(outcome),
      async run(args, call) {
        access.check();
        const { signal, tellProgress } = call;
        const { how } = args;
        const find = (id = args.session) => (how === 'pause' ? sessions.find(id) : sessions.stopped(id));
        const asked = find();
        const words = `wants to let the program "${onOneLine(asked.session.name)}" go on (${how})`;
        await mustBeAllowed(asked, words, { mayRun, sessions, call });
        const found = find(asked.id); // the user may have let it go on themselves
        const { printed } = found;
        const threadId = found.stop?.threadId ?? (await firstThread(found, signal));
        await mayRun.mustStill(call, 'debugging');
        const telling = keepTelling(tellProgress);
        try {
          await found.request(steps[how], { threadId }, z.any(), signal);
          await sessions.until(
            () => isSettled([found]),
            (args.timeoutSeconds ?? patience.normal) * 1_000,
            signal,
          );
        } finally {
          telling.dispose();
        }
        return told([found], printed, access, signal);
      },
    },
    { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  );
}

export function stopDebugging({ access, sessions, mayRun }: DebuggingWorkshop): Tool {
  return editorTool(
    {
      name: 'stopDebugging',
      title: 'Stop Debugging',
      description: 'Ends a debug session; of one that the user has started they are asked first',
      input: z.object({ session: sessionId }),
      output: z.object(outcome),
      async run(args, call) {
        access.check();
        const { signal } = call;
        const found = sessions.find(args.session);
        const words = `wants to end the debug session "${onOneLine(found.session.name)}"`;
        await mustBeAllowed(found, words, { mayRun, sessions, call });
        await vscode.debug.stopDebugging(root(found.session));
        await sessions.until(() => found.isOver, 10_000, signal);
        return told([found], 0, access, signal);
      },
    },
    { readOnlyHint: false, destructiveHint: true },
  );
}

export function stack({ access, sessions }: DebuggingWorkshop): Tool {
  return readingTool({
    name: 'stack',
    title: 'Stack',
    description:
      'Where a program in the debugger stands, the innermost call first, each with its source line',
    input: z.object({
      session: sessionId,
      limit: z.optional(z.int().check(z.minimum(1), z.maximum(200), z.describe('20 by default'))),
      offset: z.optional(z.int().check(z.minimum(0), z.maximum(10_000))),
    }),
    output: z.object({ session: z.int(), reason: z.string(), frames: z.array(frameOutput) }),
    async run({ session, limit = 20, offset = 0 }, { signal }) {
      access.check();
      const found = sessions.stopped(session);
      const { frames, total } = await stackFrames(found, access, { from: offset, limit }, signal);
      const reason = reasonOf(found);
      const more = total !== undefined && total > offset + frames.length;
      return {
        text: [
          `Stopped: ${reason}`,
          ...frames.map(({ line }) => line),
          ...(more ? [`More with offset ${offset + frames.length}.`] : []),
        ].join('\n'),
        data: { session: found.id, reason, frames: frames.map(({ data }) => data) },
      };
    },
  });
}

const scopesAnswer = z.object({
  scopes: z.array(
    z.object({ name: z.string(), variablesReference: z.number(), expensive: z.optional(z.boolean()) }),
  ),
});
const variable = z.object({
  name: z.string(),
  value: z.string(),
  type: z.optional(z.string()),
  variablesReference: z.number(),
});
const variablesAnswer = z.object({ variables: z.array(variable) });

export function variables({ access, sessions }: DebuggingWorkshop): Tool {
  return readingTool({
    name: 'variables',
    title: 'Variables',
    description: 'The variables of a frame of a program that stands still, or what is in one of them',
    input: z.object({
      session: sessionId,
      frame,
      of: z.optional(
        z
          .array(z.string().check(z.maxLength(500)))
          .check(
            z.maxLength(20),
            z.describe('Names from the outermost in, as ["user", "address"]: what is in that'),
          ),
      ),
      ...paging,
    }),
    output: z.object({
      variables: z.array(
        z.object({
          scope: z.optional(z.string()),
          name: z.string(),
          value: z.string(),
          type: z.optional(z.string()),
        }),
      ),
      ...pageOutput,
    }),
    async run({ session, frame: index = 0, of = [], ...paged }, { signal }) {
      access.check();
      const found = sessions.stopped(session);
      const id = await frameId(found, access, index, signal);
      const { scopes } = await found.request('scopes', { frameId: id }, scopesAnswer, signal);
      const read = async (variablesReference: number) =>
        (await found.request('variables', { variablesReference }, variablesAnswer, signal)).variables;
      let all: { scope?: string; variable: z.infer<typeof variable> }[] = [];
      for (const { name, variablesReference, expensive } of scopes) {
        // The globals, mostly: only where one of them is asked for.
        if (!expensive || (of.length > 0 && !all.some((each) => each.variable.name === of[0]))) {
          all.push(...(await read(variablesReference)).map((each) => ({ scope: name, variable: each })));
        }
      }
      for (const [depth, name] of of.entries()) {
        const inside = all.find((each) => each.variable.name === name)?.variable;
        if (!inside) {
          throw new Refusal(`There is no variable "${onOneLine(of.slice(0, depth + 1).join('.'))}" there.`);
        }
        all =
          inside.variablesReference > 0
            ? (await read(inside.variablesReference)).map((each) => ({ variable: each }))
            : [];
      }
      const shown = await page(all, paged, ({ scope, variable: { name, value, type } }) => {
        const data = {
          ...(scope !== undefined && { scope: onOneLine(scope) }),
          name: onOneLine(name),
          value: onOneLine(value, maxValue),
          ...(type && { type: onOneLine(type) }),
        };
        return {
          line: `${data.scope === undefined ? '' : `${data.scope}  `}${data.name} = ${data.value}`,
          data,
        };
      });
      return {
        text: pageText(shown, 'variable', 'variables'),
        data: { variables: shown.items, ...shown.counts },
      };
    },
  });
}

const evaluated = z.object({ result: z.string(), type: z.optional(z.string()) });

export function evaluate({ access, sessions, mayRun, log }: DebuggingWorkshop): Tool {
  return editorTool(
    {
      name: 'evaluate',
      title: 'Evaluate',
      description:
        'Evaluates an expression in a frame of a program that stands still. It runs code: the user is asked each time. To read variables use the tool variables',
      input: z.object({
        expression: z.string().check(z.minLength(1), z.maxLength(10_000)),
        session: sessionId,
        frame,
      }),
      output: z.object({ value: z.string(), type: z.optional(z.string()) }),
      async run({ expression, session: id, frame: index = 0 }, call) {
        access.check();
        const { signal } = call;
        const found = sessions.stopped(id);
        const { stop } = found;
        const words = `wants to evaluate this in "${onOneLine(found.session.name)}"`;
        await mustAgree(words, expression, { mayRun, call });
        const still = sessions.stopped(found.id);
        const inFrame = await frameId(still, access, index, signal);
        await mayRun.mustStill(call, 'debugging');
        if (found.stop !== stop) {
          throw new Refusal('The program has gone on meanwhile. Nothing was evaluated: ask again.');
        }
        log.info(`${clientName(call.session)} evaluates an expression in the debugger`);
        const asked = { expression, frameId: inFrame, context: 'repl' };
        const { result, type } = await still.request('evaluate', asked, evaluated, signal);
        access.check();
        const value = tail(plainOutput(result), 1_000, maxOutput).text;
        return { text: value, data: { value, ...(type && { type: onOneLine(type) }) } };
      },
    },
    { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  );
}

export function breakpoints({ access }: DebuggingWorkshop): Tool {
  return readingTool({
    name: 'breakpoints',
    title: 'Breakpoints',
    description: 'The breakpoints that are set in the editor',
    input: z.object(paging),
    output: z.object({
      breakpoints: z.array(
        z.object({
          path: z.string(),
          line: z.int(),
          isEnabled: z.boolean(),
          condition: z.optional(z.string()),
          logMessage: z.optional(z.string()),
        }),
      ),
      ...pageOutput,
    }),
    async run(args) {
      access.check();
      const all = vscode.debug.breakpoints.filter((each) => each instanceof vscode.SourceBreakpoint);
      const { items, withheld } = await access.shared(all, ({ location }) => location.uri);
      const shown = await page(
        items,
        args,
        ({ location: { uri, range }, enabled, condition, logMessage }) => {
          const data = {
            path: pathOf(uri),
            line: range.start.line + 1,
            isEnabled: enabled,
            ...(condition && { condition: onOneLine(condition, maxValue) }),
            ...(logMessage && { logMessage: onOneLine(logMessage, maxValue) }),
          };
          const notes = [
            !enabled && 'switched off',
            data.condition && `if ${data.condition}`,
            data.logMessage && `logs ${data.logMessage}`,
          ].filter(Boolean);
          const place = placeText(
            { path: data.path, line: data.line, column: range.start.character + 1 },
            shownName,
          );
          return { line: `${place}${notes.length > 0 ? `  (${notes.join(', ')})` : ''}`, data };
        },
        withheld,
      );
      return {
        text: pageText(shown, 'breakpoint', 'breakpoints'),
        data: { breakpoints: shown.items, ...shown.counts },
      };
    },
  });
}

export function setBreakpoint({ access, mayRun }: DebuggingWorkshop): Tool {
  return editorTool(
    {
      name: 'setBreakpoint',
      title: 'Set or Remove a Breakpoint',
      description:
        'Sets a breakpoint in a line, in the place of one that is there, or removes it. Of a condition or a log message, which are code, the user is asked first',
      input: z.object({
        file: path,
        line: counting.check(z.describe('From 1')),
        remove: z.optional(z.boolean()),
        condition: z.optional(z.string().check(z.maxLength(2_000))),
        logMessage: z.optional(
          z
            .string()
            .check(
              z.maxLength(2_000),
              z.describe('Logged instead of standing still; {expressions} in braces'),
            ),
        ),
      }),
      output: z.object({ isSet: z.boolean() }),
      async run({ file, line, remove = false, condition, logMessage }, call) {
        const { uri, lineCount } = await access.document(file);
        if (line > lineCount) {
          throw new Refusal(`That file has ${lineCount} lines.`);
        }
        const inLine = () =>
          vscode.debug.breakpoints.filter(
            (each) =>
              each instanceof vscode.SourceBreakpoint &&
              each.location.uri.toString() === uri.toString() &&
              each.location.range.start.line === line - 1,
          );
        const place = `${shownName(uri.fsPath)}:${line}`;
        const code = [condition, logMessage].filter((each) => each !== undefined);
        const lost = inLine()
          .flatMap((each) => [each.condition, each.hitCondition, each.logMessage])
          .filter((each) => each);
        if (!remove && code.length > 0) {
          const instead = lost.length > 0 ? ['', '# In the place of the one with', ...lost] : [];
          await mustAgree(
            `wants to set a breakpoint with this in ${place}`,
            [...code, ...instead].join('\n'),
            {
              mayRun,
              call,
            },
          );
        } else if (lost.length > 0) {
          await mustAgree(`wants to take away the breakpoint with this in ${place}`, lost.join('\n'), {
            mayRun,
            call,
          });
        }
        await mayRun.mustStill(call, 'debugging', file);
        const there = inLine();
        if (remove && there.length === 0) {
          throw new Refusal('There is no breakpoint in that line.');
        }
        vscode.debug.removeBreakpoints(there);
        if (!remove) {
          const location = new vscode.Location(uri, new vscode.Position(line - 1, 0));
          vscode.debug.addBreakpoints([
            new vscode.SourceBreakpoint(location, true, condition, undefined, logMessage),
          ]);
        }
        return { text: remove ? 'Removed.' : 'Set.', data: { isSet: !remove } };
      },
    },
    { readOnlyHint: false, destructiveHint: true },
  );
}

interface Asking extends Pick<DebuggingWorkshop, 'mayRun' | 'sessions'> {
  readonly call: ToolCall;
}

/** @throws Refusal unless the user agrees */
async function mustAgree(
  words: string,
  code: string,
  { mayRun, call }: Omit<Asking, 'sessions'>,
): Promise<void> {
  const what = { title: 'Run in the debugger?', words, code, always: '', exactly: undefined };
  await mayRun.must(what, call, 'debugging');
}

/** Of what the user debugs themselves they are asked. */
async function mustBeAllowed(debuggee: Debuggee, words: string, asking: Asking): Promise<void> {
  if (!asking.sessions.isOfTools(debuggee)) {
    await mustAgree(words, '', asking);
  }
}

async function firstThread(debuggee: Debuggee, signal: AbortSignal): Promise<number> {
  const answer = z.object({ threads: z.array(z.object({ id: z.int() })) });
  const { threads } = await debuggee.request('threads', {}, answer, signal);
  return threads[0]?.id ?? 0;
}

/** The program stands still somewhere, or has ended. */
function isSettled(started: readonly Debuggee[]): boolean {
  return started.some(isStopped) || (started.length > 0 && started.every(({ isOver }) => isOver));
}

/** What has become of a program. @param from see `Debuggee.printed` */
async function told(
  started: readonly Debuggee[],
  from: number,
  access: DebuggingWorkshop['access'],
  signal: AbortSignal,
): Promise<Found<z.infer<z.ZodMiniObject<typeof outcome>>>> {
  const stopped = started.find(isStopped);
  const shown = stopped ?? started.findLast(({ isOver }) => !isOver) ?? started.at(-1);
  const printed = started
    .map((each) => each.output.slice(Math.max(0, from - (each.printed - each.output.length))))
    .join('');
  const output = tail(plainOutput(printed), 200, maxOutput).text;
  const exitCode = started.find((each) => each.exitCode !== undefined)?.exitCode;
  const isOver = started.length > 0 && started.every((each) => each.isOver);
  const [at] = stopped ? (await stackFrames(stopped, access, { limit: 1 }, signal)).frames : [];
  access.check(); // the debugger was waited for
  const reason = stopped && reasonOf(stopped);
  const words = stopped
    ? `Stopped: ${reason}`
    : isOver
      ? `Ended${exitCode === undefined ? '' : ` with exit code ${exitCode}`}`
      : shown
        ? 'Runs'
        : 'The editor still starts it: debugSessions tells when it runs';
  return {
    text: [
      `${words}${shown ? ` (session ${shown.id})` : ''}`,
      ...(at ? [at.line] : []),
      ...(output ? ['It has printed:', output] : []),
    ].join('\n'),
    data: {
      ...(shown && { session: shown.id }),
      state: stopped ? 'stopped' : isOver ? 'ended' : 'runs',
      ...(reason !== undefined && { reason }),
      ...(exitCode !== undefined && { exitCode }),
      ...(at && { at: at.data }),
      output,
    },
  };
}

function reasonOf({ stop }: StoppedDebuggee): string {
  return onOneLine([stop.reason, stop.text].filter(Boolean).join(': '), 1_000);
}
