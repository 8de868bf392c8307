import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import type { TerminalOutput } from './terminalOutput.ts';

/** How many are remembered after they have ended. */
const maxRuns = 20;

/** ms in which the last output of a task comes after its end. */
const outputTime = 500;

/** A task that was run for a client. */
export interface TaskRun {
  /** From 1, in this window. */
  readonly id: number;
  readonly task: vscode.Task;
  /** In ms since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Undefined while it runs, and where none came. */
  readonly exitCode: number | undefined;
  /** As it was printed; undefined where the editor does not tell it. */
  readonly output: string | undefined;
  /**
   * Settles with its end.
   * @param patience ms after which it settles though the task runs on
   * @param signal ends the task, once those of all calls that have followed it are aborted
   */
  follow(patience: number, signal: AbortSignal): Promise<void>;
}

/** Runs tasks of the editor, and follows them to their end. */
export class TaskRuns implements vscode.Disposable {
  private runs: Run[] = [];
  private lastId = 0;

  constructor(private readonly terminals: TerminalOutput) {}

  get(id: number | undefined): TaskRun | undefined {
    return id === undefined ? this.runs.at(-1) : this.runs.find((run) => run.id === id);
  }

  /** @throws Error of the editor's where the task cannot be started */
  async start(task: vscode.Task): Promise<TaskRun> {
    const run = new Run(++this.lastId, task, this.terminals);
    const ended = this.runs.filter(({ endedAt }) => endedAt !== undefined);
    const forgotten = new Set(ended.slice(0, Math.max(0, ended.length - maxRuns + 1)));
    this.runs = [...this.runs.filter((each) => !forgotten.has(each)), run];
    try {
      await run.start();
    } catch (error) {
      run.dispose();
      this.runs = this.runs.filter((each) => each !== run);
      throw error;
    }
    return run;
  }

  dispose(): void {
    this.runs.splice(0).forEach((run) => run.dispose());
  }
}

class Run implements TaskRun {
  readonly startedAt = Date.now();
  endedAt: number | undefined;
  exitCode: number | undefined;
  /** Calls that were not cancelled. */
  private followers = 0;
  private execution: vscode.TaskExecution | undefined;
  private terminal: vscode.Terminal | undefined;
  private finding = Promise.resolve();
  /** Once it has ended: the terminal goes on with the next task. */
  private printed: string | undefined;
  private readonly sinceStart: (terminal: vscode.Terminal) => string | undefined;
  private readonly end = new Deferred<void>();
  private readonly subscriptions: vscode.Disposable[] = [];

  constructor(
    readonly id: number,
    readonly task: vscode.Task,
    private readonly terminals: TerminalOutput,
  ) {
    this.sinceStart = terminals.fromNow();
  }

  get output(): string | undefined {
    return (
      this.printed ??
      (this.terminal && this.endedAt === undefined ? this.sinceStart(this.terminal) : undefined)
    );
  }

  async start(): Promise<void> {
    const { tasks } = vscode;
    const early: (() => void)[] = [];
    /** The editor may tell of it before it has said which execution it is. */
    const ofThis =
      <E extends { execution: vscode.TaskExecution }>(act: (event: E) => void) =>
      (event: E) => {
        const tell = () => event.execution === this.execution && act(event);
        if (this.execution) {
          tell();
        } else {
          early.push(tell);
        }
      };
    this.subscriptions.push(
      tasks.onDidStartTaskProcess(ofThis(({ processId }) => void (this.finding = this.find(processId)))),
      tasks.onDidEndTaskProcess(ofThis(({ exitCode }) => void (this.exitCode = exitCode))),
      tasks.onDidEndTask(ofThis(() => void this.finish())),
    );
    this.execution = await tasks.executeTask(this.task);
    early.forEach((tell) => tell());
  }

  async follow(patience: number, signal: AbortSignal): Promise<void> {
    this.followers += 1;
    const leave = () => {
      this.followers -= 1;
      if (this.followers === 0) {
        this.execution?.terminate();
      }
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) {
      leave(); // which no listener is told
    }
    let timer;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, patience)));
    await Promise.race([this.end.promise, late]);
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    this.end.settle();
  }

  private async find(processId: number): Promise<void> {
    for (const terminal of vscode.window.terminals) {
      if ((await terminal.processId) === processId) {
        this.terminal = terminal;
      }
    }
  }

  private async finish(): Promise<void> {
    vscode.Disposable.from(...this.subscriptions).dispose();
    await this.finding;
    const { terminal } = this;
    const last = Date.now() + outputTime;
    while (terminal && this.terminals.isReading(terminal) && Date.now() < last) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    this.printed = terminal && this.sinceStart(terminal);
    this.endedAt = Date.now();
    this.end.settle();
  }
}
