import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { childrenOf, commandOf } from '../../host/processes.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { RecordedCli } from '../../support/recordedCli.ts';
import { until } from '../../support/until.ts';
import { connectClient, type Scratch } from '../bridge.ts';

/** A CLI that runs shell commands, and writes them down: by what the tests do themselves. */
export class ShellAgent {
  private static readonly all: ShellAgent[] = [];

  private constructor(
    readonly client: IdeClient,
    private readonly cli: RecordedCli,
    private readonly process: ChildProcess,
  ) {}

  static async connect(scratch: Scratch): Promise<ShellAgent> {
    const { CLAUDE_CONFIG_DIR } = process.env;
    assert.ok(CLAUDE_CONFIG_DIR, 'the runner sets CLAUDE_CONFIG_DIR');
    const child = spawn('sleep', ['600']); // only the record of a process that lives is read
    assert.ok(child.pid !== undefined);
    const cli = new RecordedCli(CLAUDE_CONFIG_DIR, scratch.folder, child.pid);
    cli.is('idle');
    const agent = new ShellAgent(await connectClient(child.pid), cli, child);
    ShellAgent.all.push(agent);
    return agent;
  }

  static endAll(): void {
    for (const { cli, process } of ShellAgent.all.splice(0)) {
      cli.removeSessionFile();
      process.kill();
    }
  }

  /** The user prompts; the work tree is then read in the background. What comes meanwhile may be the user's. */
  async prompted(): Promise<void> {
    this.cli.is('busy');
    await this.client.callForTexts('closeAllDiffTabs');
    this.cli.prompt('go');
    await noted();
  }

  /** A command runs, and does that. */
  async runs(act: () => unknown): Promise<void> {
    this.cli.call('Bash', { command: 'true' });
    await act();
    this.cli.result('');
  }

  asks(): void {
    this.cli.call('Bash', { command: 'true' });
    this.cli.is('waiting', 'permission prompt');
  }

  /** The user says yes to what it asks, which then does that. */
  async isAllowed(act: () => unknown): Promise<void> {
    this.cli.is('busy');
    await act();
    this.cli.result('');
  }

  isRefused(): void {
    this.cli.is('busy');
    this.cli.refusal();
  }

  /** The turn is over. */
  ends(): void {
    this.cli.answer('done');
    this.cli.is('idle');
  }
}

/** What is there is noted by then. */
export async function noted(): Promise<void> {
  await delay(1_500);
  let rests = 0;
  await until('git to be at rest', () => (rests = isGitAtWork() ? 0 : rests + 1) > 3, 30_000);
}

/** For the editor, or for us. */
function isGitAtWork(): boolean {
  return childrenOf(process.pid).some((pid) => /(^|\/)git\0/.test(commandOf(pid)));
}
