import { cut } from '../base/text.ts';
import { printable } from '../base/printable.ts';
import type { ChildProcesses, Started } from '../server/childProcesses.ts';
import { endTree } from '../server/endTree.ts';
import { endWithUs } from '../server/endWithUs.ts';
import { ControlChannel, type ControlHandler } from './control.ts';
import { JsonLines } from '../server/jsonLines.ts';
import { isAlive } from '../server/processes.ts';
import { type CliMessage, parseMessage } from './messages.ts';

export interface CliStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Ending {
  /** We have ended it. */
  readonly isOurs: boolean;
  readonly message: string;
  /** The end of what it has complained of, without what looks like a key. */
  readonly stderr: string;
}

export interface CliListener {
  onMessage(message: CliMessage, json: unknown): void;
  onOther(json: unknown): void;
  onUnreadable(text: string, bytes: number): void;
  onEnd(ending: Ending): void;
}

/** UTF-16 units. */
const keptStderr = 4_000;

/** Ms that the CLI has to end by itself: it writes its transcript, and ends what its tools have started. */
const patience = 1_500;

/**
 * Ms after which a process that has closed a pipe has ended, too, or else is ended: it can no longer be talked to. What it
 * has started may hold its pipes open for ever, though it has ended itself.
 */
const lastWords = 1_000;

/** One Claude Code process, and what is said over its pipes. */
export class CliProcess {
  readonly control: ControlChannel;
  /** Ms since the epoch. */
  private readonly began = Date.now();
  private stderr = '';
  private isEnding = false;
  private isOver = false;

  static async start(
    processes: ChildProcesses,
    { program, args, cwd, env }: CliStart,
    handlers: Readonly<Record<string, ControlHandler>>,
    listener: CliListener,
  ): Promise<CliProcess> {
    const started = await processes.start(program, args, cwd, env);
    return new CliProcess(processes, started, handlers, listener);
  }

  private constructor(
    private readonly processes: ChildProcesses,
    private readonly started: Started,
    handlers: Readonly<Record<string, ControlHandler>>,
    private readonly listener: CliListener,
  ) {
    this.control = new ControlChannel((message) => this.send(message), handlers);
    const lines = new JsonLines({
      onJson: (json) => this.take(json),
      onUnreadable: (text, bytes) => listener.onUnreadable(text, bytes),
    });
    started.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    started.stdout.on('end', () => lines.end());
    // Node closes the first when the process has ended.
    for (const pipe of [started.stdin, started.stdout]) {
      pipe.once('close', () => void setTimeout(() => void this.cutOff(), lastWords).unref());
    }
    started.stderr.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-keptStderr);
    });
    const guard = endWithUs(started.pid, processes);
    void started.closed.then(({ code, signal }) => {
      guard.dispose();
      this.isOver = true;
      this.control.end();
      const how = signal === null ? `with code ${code ?? 'unknown'}` : `by ${signal}`;
      listener.onEnd({
        isOurs: this.isEnding,
        message: `Claude Code has ended ${how}.`,
        stderr: withoutKeys(this.stderr.trim()),
      });
    });
  }

  get pid(): number {
    return this.started.pid;
  }

  send(message: object): void {
    if (this.started.stdin.writable) {
      this.started.stdin.write(`${JSON.stringify(message)}\n`);
    }
  }

  /** Ends it and all that it has started. Calling it again waits for the same end. */
  async end(): Promise<void> {
    if (!this.isEnding) {
      this.isEnding = true;
      // Else what it still asks is answered by the end of its input, and it goes on with the turn.
      this.control.request('interrupt').catch(() => {});
      this.control.end();
      this.started.stdin.end();
      await this.endTree();
    }
    await this.started.closed;
  }

  private async cutOff(): Promise<void> {
    if (!this.isOver && !this.isEnding) {
      await this.endTree();
    }
  }

  private async endTree(): Promise<void> {
    const { pid, stdout, stderr } = this.started;
    if (isAlive(pid)) {
      await endTree(pid, this.began, this.processes, patience);
    }
    stdout.destroy();
    stderr.destroy();
  }

  private take(json: unknown): void {
    const message = parseMessage(json);
    if (!message) {
      this.listener.onOther(json);
      return;
    }
    switch (message.type) {
      case 'control_request':
        void this.control.takeRequest(message);
        break;
      case 'control_response':
        this.control.takeResponse(message);
        break;
      case 'control_cancel_request':
        this.control.withdraw(message.request_id);
        break;
      default:
        this.listener.onMessage(message, json);
    }
  }
}

/** Lines stay lines. */
function withoutKeys(text: string): string {
  const shown = text.replace(/\b(sk-[\w-]{4}|Bearer\s+\S{4}|eyJ[\w-]{4})[\w.-]*/g, '$1…');
  return cut(
    shown
      .split('\n')
      .map((line) => printable(line, 500))
      .join('\n'),
    keptStderr,
  );
}
