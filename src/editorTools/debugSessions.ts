import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { Refusal } from './refusal.ts';
import { late, within } from '../base/within.ts';

/** UTF-16 units of output kept of each session, and how many sessions that have ended are remembered. */
const maxOutput = 100_000;
const maxEnded = 20;

/** What we read of the messages of debug adapters: the Debug Adapter Protocol's own names. */
const message = z.object({
  event: z.optional(z.string()),
  /** Of an answer. */
  command: z.optional(z.string()),
  success: z.optional(z.boolean()),
  body: z.optional(
    z.object({
      threadId: z.optional(z.int()),
      reason: z.optional(z.string()),
      text: z.optional(z.string()),
      category: z.optional(z.string()),
      output: z.optional(z.string()),
      exitCode: z.optional(z.int()),
    }),
  ),
});

/** After which a program goes on, though no event says so. */
const goingOn = ['continue', 'next', 'stepIn', 'stepOut', 'stepBack', 'reverseContinue', 'goto', 'restart'];

/** Where a program stands still. */
export interface Stop {
  readonly threadId: number;
  readonly reason: string;
  /** Of an exception, for instance. */
  readonly text: string | undefined;
}

/** A program that is debugged, as one debug session of the editor; some debuggers have several for one program. */
export class Debuggee {
  stop: Stop | undefined;
  isOver = false;
  exitCode: number | undefined;
  /** The end of what it has printed. */
  output = '';
  /** UTF-16 units that it has printed. */
  printed = 0;

  /** @param id from 1, in this window */
  constructor(
    readonly id: number,
    readonly session: vscode.DebugSession,
  ) {}

  /** @throws Refusal with what the debugger says, or where it says nothing */
  async request<Answer>(
    command: string,
    args: object,
    schema: z.ZodMiniType<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    let answer: unknown;
    try {
      answer = await within(requestTime, signal, this.session.customRequest(command, args));
    } catch (error) {
      throw new Refusal(`The debugger refuses: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (answer === late) {
      throw new Refusal('The debugger refuses: it does not answer');
    }
    const parsed = z.safeParse(schema, answer);
    if (!parsed.success) {
      throw new Refusal(`The debugger has answered ${command} in a way that is not understood.`);
    }
    return parsed.data;
  }
}

/** One whose program stands still. */
export type StoppedDebuggee = Debuggee & { readonly stop: Stop };

export function isStopped(debuggee: Debuggee): debuggee is StoppedDebuggee {
  return debuggee.stop !== undefined;
}

/** ms in which a debugger has to answer. */
const requestTime = 20_000;

/** The debug sessions of the window, from when this was made: where each stands, and what it prints. */
export class DebugSessions implements vscode.Disposable {
  private debuggees: Debuggee[] = [];
  private lastId = 0;
  /** Ids of what clients have started, with the user's consent. */
  private readonly ofTools = new Set<string>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions = vscode.Disposable.from(
    this.changed,
    vscode.debug.registerDebugAdapterTrackerFactory('*', {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage: (sent) => this.hear(this.of(session), sent),
      }),
    }),
    vscode.debug.onDidStartDebugSession((session) => void this.of(session)),
    vscode.debug.onDidTerminateDebugSession((session) => {
      const debuggee = this.of(session);
      debuggee.isOver = true;
      debuggee.stop = undefined;
      this.changed.fire();
    }),
  );

  /** @param isOn whether anything may be told now: what is printed meanwhile is never told */
  constructor(private readonly isOn: () => boolean) {
    const { activeDebugSession } = vscode.debug;
    if (activeDebugSession) {
      this.of(activeDebugSession);
    }
  }

  /** Those that run; the last one started comes last. */
  get running(): Debuggee[] {
    return this.debuggees.filter(({ isOver }) => !isOver);
  }

  /**
   * Those of what a client has started, behind the given one: by the names that it was to have, and where the debugger has
   * given it another, all of them.
   */
  startedAs(names: readonly string[], afterId: number): Debuggee[] {
    const all = this.debuggees.filter(({ id }) => id > afterId);
    const named = all.filter(({ session }) => names.includes(root(session).configuration.name));
    const started = named.length > 0 ? named : all;
    started.forEach(({ session }) => this.ofTools.add(root(session).id));
    return started;
  }

  isOfTools({ session }: Debuggee): boolean {
    return this.ofTools.has(root(session).id);
  }

  get latest(): number {
    return this.lastId;
  }

  /** By default the one that stands still, or the active one. @throws Refusal where there is none */
  find(id: number | undefined): Debuggee {
    const { running } = this;
    if (id !== undefined) {
      const named = running.find((each) => each.id === id);
      if (!named) {
        throw new Refusal(`There is no debug session ${id}: debugSessions lists those that there are.`);
      }
      return named;
    }
    const active = running.find(({ session }) => session === vscode.debug.activeDebugSession);
    const found = active?.stop ? active : (running.findLast(isStopped) ?? active ?? running.at(-1));
    if (!found) {
      throw new Refusal('Nothing is debugged now: startDebugging starts a launch configuration.');
    }
    return found;
  }

  /** That stands still. @throws Refusal */
  stopped(id: number | undefined): StoppedDebuggee {
    const found = this.find(id);
    if (!isStopped(found)) {
      throw new Refusal(
        `The debug session ${found.id} runs: its program has to stand still, at a breakpoint or by stepDebugging with pause.`,
      );
    }
    return found;
  }

  /** @returns whether it is so before the time is over, in ms, and before the signal */
  async until(isSo: () => boolean, time: number, signal: AbortSignal): Promise<boolean> {
    if (isSo()) {
      return true;
    }
    let listening: vscode.Disposable | undefined;
    const happens = new Promise<true>((resolve) => {
      listening = this.changed.event(() => isSo() && resolve(true));
    });
    const is = await within(time, signal, happens);
    listening?.dispose();
    return is !== late;
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private of(session: vscode.DebugSession): Debuggee {
    const known = this.debuggees.find((each) => each.session.id === session.id);
    if (known) {
      return known;
    }
    const debuggee = new Debuggee(++this.lastId, session);
    const ended = this.debuggees.filter(({ isOver }) => isOver);
    const forgotten = new Set(ended.slice(0, Math.max(0, ended.length - maxEnded)));
    this.debuggees = [...this.debuggees.filter((each) => !forgotten.has(each)), debuggee];
    this.changed.fire();
    return debuggee;
  }

  private hear(debuggee: Debuggee, sent: unknown): void {
    const parsed = z.safeParse(message, sent);
    if (!parsed.success) {
      return;
    }
    const { event, command = '', success, body } = parsed.data;
    if (event === 'stopped') {
      const { threadId = 0, reason = 'unknown', text } = body ?? {};
      debuggee.stop = { threadId, reason, text };
    } else if (event === 'continued' || (success && goingOn.includes(command))) {
      debuggee.stop = undefined;
    } else if (event === 'output' && body?.category !== 'telemetry' && body?.output !== undefined) {
      if (!this.isOn()) {
        return;
      }
      debuggee.output = (debuggee.output + body.output).slice(-maxOutput);
      debuggee.printed += body.output.length;
    } else if (event === 'exited') {
      debuggee.exitCode = body?.exitCode;
    }
    this.changed.fire();
  }
}

/** The session that the user sees as the program: a debugger may have one of its own for each process or thread. */
export function root(session: vscode.DebugSession): vscode.DebugSession {
  return session.parentSession ? root(session.parentSession) : session;
}
