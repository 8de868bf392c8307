import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { isAlive } from '../../src/server/processes.ts';
import { until } from '../support/until.ts';
import type { Scratch } from './bridge.ts';

/** Sets a setting of ours for the user; undefined takes it back. */
export async function configure(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('ideBridge').update(name, value, vscode.ConfigurationTarget.Global);
}

/** A stand-in for the CLI that writes down how it was started, stays, and prints what it is told to. */
export class FakeCli {
  private readonly log: string;

  private constructor(private readonly scratch: Scratch) {
    this.log = scratch.path('ran.txt');
  }

  static async install(scratch: Scratch, name = 'fake-claude'): Promise<FakeCli> {
    const cli = new FakeCli(scratch);
    const command = scratch.write(
      name,
      `#!/bin/sh\necho "$$|$CLAUDE_CODE_SSE_PORT|$EXTRA|$*" >> "${cli.log}"\ntrap 'cat "${cli.words}"' USR1\nwhile :; do sleep 1 & wait; done\n`,
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

  private get words(): string {
    return this.scratch.path('words.txt');
  }

  /** Has one of its processes print that. */
  async say(pid: number, words: string): Promise<void> {
    await writeFile(this.words, words);
    process.kill(pid, 'SIGUSR1');
  }

  async run(count: number): Promise<{ pid: number; port: string; extra: string; args: string }> {
    return until(`run ${count} of the CLI`, () => this.runs[count - 1], 20_000);
  }
}

export async function closeTerminals(cli?: FakeCli): Promise<void> {
  vscode.window.terminals.forEach((terminal) => terminal.dispose());
  await until('the terminals to go', () => vscode.window.terminals.length === 0);
  // As long as they live they keep their names, and the editor takes seconds to end them.
  const left = () => (cli?.runs ?? []).filter(({ pid }) => isAlive(pid));
  left().forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
  await until('the CLIs to end', () => left().length === 0);
  // The editor locks the group of a terminal, and the last group stays, with its lock: other files would open beside.
  await vscode.commands.executeCommand('workbench.action.editorLayoutSingle');
  await vscode.commands.executeCommand('workbench.action.unlockEditorGroup');
}
