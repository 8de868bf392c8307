import { execFile, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';

export interface RunOptions {
  /** Goes to its standard input, which ends with it. */
  input?: string;
  /** By default that of the editor. */
  env?: NodeJS.ProcessEnv;
  /** `program` is a line for the user's shell. */
  shell?: boolean;
}

export interface Ended {
  /** What it ended with. */
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** A process that runs on, which its starter talks to. */
export interface Started {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Once it has ended and all that it has printed was read. Never rejects. */
  readonly closed: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Bytes, of each stream; with more it is killed. */
const maxOutput = 32 * 1024 * 1024;

/** The only place that starts a process: none before the user trusts the workspace, whatever asks for it. */
export class ChildProcesses {
  /** @param maxTime ms; then a process is killed */
  constructor(
    private readonly isTrusted: () => boolean,
    private readonly maxTime = 10_000,
  ) {}

  /** @throws when it may not or cannot start, takes too long, or says too much */
  run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    if (!this.isTrusted()) {
      return Promise.reject(new Error('No program is started in Restricted Mode.'));
    }
    return new Promise((resolve, reject) => {
      const child = execFile(
        program,
        args,
        {
          cwd: dirname(process.execPath), // Windows looks there for programs first: not among the user's files
          env: options.env ?? process.env,
          shell: options.shell ?? false,
          windowsHide: true,
          encoding: 'buffer',
          maxBuffer: maxOutput,
          timeout: this.maxTime,
          killSignal: 'SIGKILL',
        },
        (error, stdout, stderr) => {
          const code = error ? error.code : 0;
          if (typeof code === 'number') {
            resolve({ code, stdout, stderr: stderr.toString() });
          } else if (error?.signal === 'SIGKILL') {
            reject(new Error(`It did not end within ${this.maxTime / 1_000} seconds.`, { cause: error }));
          } else {
            reject(error);
          }
        },
      );
      child.stdin?.on('error', () => {}); // it may end without reading all
      child.stdin?.end(options.input);
    });
  }

  /**
   * @param cwd where it begins to work
   * @throws when it may not or cannot start
   */
  start(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Started> {
    if (!this.isTrusted()) {
      return Promise.reject(new Error('No program is started in Restricted Mode.'));
    }
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd, env, windowsHide: true, stdio: ['pipe', 'pipe', 'pipe'] });
      const closed = new Promise<Awaited<Started['closed']>>((end) =>
        child.once('close', (code, signal) => end({ code, signal })),
      );
      child.once('error', reject);
      child.stdin.on('error', () => {}); // it has ended, which `closed` tells
      child.once('spawn', () => {
        const { pid = 0, stdin, stdout, stderr } = child;
        resolve({ pid, stdin, stdout, stderr, closed });
      });
    });
  }
}
