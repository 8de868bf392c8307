import * as vscode from 'vscode';
import { setting } from '../editor/settings.ts';

/** UTF-16 units kept of each terminal. */
const maxKept = 200_000;

/** The last command of a terminal, as its shell integration tells of it. */
export interface LastCommand {
  readonly line: string;
  readonly isRunning: boolean;
  readonly exitCode: number | undefined;
  /** As it was printed; undefined where the editor has not told it, as of many commands that end at once. */
  readonly output: string | undefined;
}

class Printed {
  /** The end of what was printed. */
  text = '';
  /** UTF-16 units that were printed. */
  total = 0;
  /** How many commands are read now. */
  reading = 0;
  last: { execution: vscode.TerminalShellExecution; from: number; exitCode?: number | undefined } | undefined;

  add(data: string): void {
    this.total += data.length;
    this.text = (this.text + data).slice(-maxKept);
  }

  since(from: number): string {
    return this.text.slice(Math.max(0, from - (this.total - this.text.length)));
  }
}

/**
 * What commands in terminals print, from when this was made, while the user has the tools on that tell of it. The
 * editor itself tells it by shell integration: of the shells that have it, and, from some version after 1.96, of tasks.
 */
export class TerminalOutput implements vscode.Disposable {
  /** @param isOn whether anything may be told now: what is printed meanwhile is never told */
  constructor(private readonly isOn: () => boolean) {}

  private readonly printed = new Map<vscode.Terminal, Printed>();
  private readonly ofAgents = new WeakSet<vscode.TerminalShellExecution>();
  private readonly subscriptions = vscode.Disposable.from(
    vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
      if (this.isOn()) {
        void this.read(terminal, execution);
      }
    }),
    vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) => {
      const last = this.printed.get(terminal)?.last;
      if (last?.execution === execution) {
        last.exitCode = exitCode;
      }
    }),
    vscode.window.onDidCloseTerminal((terminal) => this.printed.delete(terminal)),
  );

  lastCommand(terminal: vscode.Terminal): LastCommand | undefined {
    const printed = this.printed.get(terminal);
    if (!printed?.last || this.isPrivate(printed.last.execution)) {
      return undefined;
    }
    const { execution, from, exitCode } = printed.last;
    return {
      line: execution.commandLine.value,
      isRunning: printed.reading > 0,
      exitCode,
      output: printed.since(from) || undefined,
    };
  }

  /** An agent works in that terminal: what it shows there is not told, nor when it has gone. */
  keepPrivate(terminal: vscode.Terminal): void {
    const execution = this.printed.get(terminal)?.last?.execution;
    if (execution) {
      this.ofAgents.add(execution);
    }
  }

  /** @returns gives what is printed from now on; undefined while the editor tells nothing of that terminal */
  fromNow(): (terminal: vscode.Terminal) => string | undefined {
    const totals = new Map([...this.printed].map(([terminal, { total }]) => [terminal, total]));
    return (terminal) => this.printed.get(terminal)?.since(totals.get(terminal) ?? 0);
  }

  /** What a command has printed comes a little after it has ended. */
  isReading(terminal: vscode.Terminal): boolean {
    return (this.printed.get(terminal)?.reading ?? 0) > 0;
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private isPrivate(execution: vscode.TerminalShellExecution): boolean {
    const { value } = execution.commandLine;
    return this.ofAgents.has(execution) || /claude/i.test(value) || value.startsWith(setting('command'));
  }

  private async read(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<void> {
    const printed = this.printed.get(terminal) ?? new Printed();
    this.printed.set(terminal, printed);
    printed.last = { execution, from: printed.total };
    printed.reading++;
    for await (const data of execution.read()) {
      if (this.isOn()) {
        printed.add(data);
      }
    }
    printed.reading--;
  }
}
