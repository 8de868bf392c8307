import { chmodSync, existsSync, readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { until } from '../support/until.ts';
import type { Scratch } from './bridge.ts';

/** Sets a setting of ours for the user; undefined takes it back. */
export async function configure(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('ideBridge').update(name, value, vscode.ConfigurationTarget.Global);
}

/** A stand-in for the CLI that writes down how it was started, stays, and rings the bell on SIGUSR1. */
export class FakeCli {
  private readonly log: string;

  private constructor(scratch: Scratch) {
    this.log = scratch.path('ran.txt');
  }

  static async install(scratch: Scratch): Promise<FakeCli> {
    const cli = new FakeCli(scratch);
    const command = scratch.write(
      'fake-claude',
      `#!/bin/sh\necho "$$|$CLAUDE_CODE_SSE_PORT|$EXTRA|$*" >> "${cli.log}"\ntrap 'printf "\\a"' USR1\nwhile :; do sleep 1 & wait; done\n`,
    );
    chmodSync(command, 0o755);
    await configure('command', command);
    return cli;
  }

  /** Its processes so far. */
  get runs(): { pid: number; port: string; extra: string; args: string }[] {
    if (!existsSync(this.log)) {
      return [];
    }
    return readFileSync(this.log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [pid = '', port = '', extra = '', args = ''] = line.split('|');
        return { pid: Number(pid), port, extra, args };
      });
  }

  async run(count: number): Promise<{ pid: number; port: string; extra: string; args: string }> {
    return until(`run ${count} of the CLI`, () => this.runs[count - 1], 20_000);
  }
}

export async function closeTerminals(): Promise<void> {
  vscode.window.terminals.forEach((terminal) => terminal.dispose());
  await until('the terminals to go', () => vscode.window.terminals.length === 0);
}
