import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.ts';
import { childrenOf } from '../host/processes.ts';
import { contextText, text, type MessagesRequest, type MockApi } from './mockApi.ts';
import type { Terminal } from './terminal.ts';

/** What the CLI's prompt shows when it waits in that mode. */
const prompts = {
  default: '? for shortcuts',
  acceptEdits: 'accept edits on',
  auto: 'auto mode on',
  plan: 'plan mode on',
};

export type PermissionMode = keyof typeof prompts;

/** The Claude Code CLI, running in an integrated terminal, with a model that says what it is told to say. */
export class Claude {
  private answers = 0;

  private constructor(
    readonly terminal: Terminal,
    readonly api: MockApi,
  ) {}

  /** Types `claude` as a user does and waits until it takes prompts. */
  static async start(terminal: Terminal, api: MockApi, mode: PermissionMode): Promise<Claude> {
    // The newest CLI starts in "auto" mode, in which it asks nobody about its edits.
    await terminal.run(`ANTHROPIC_BASE_URL=${api.url} claude --permission-mode ${mode}`);
    await terminal.shows(prompts[mode], 40_000);
    return new Claude(terminal, api);
  }

  /** Waits until the CLI has asked the model. */
  async prompt(words: string): Promise<void> {
    await this.terminal.type(words);
    const { turnCount } = this.api;
    // An Enter that comes while the CLI is still busy with the words is not heard.
    await until(
      `an answer to the prompt "${words}"`,
      async () => {
        await this.terminal.press('Enter');
        return until('a turn', () => this.api.turnCount > turnCount, 10_000).catch(() => false as const);
      },
      30_000,
      () => this.terminal.text(),
    );
  }

  /** Prompts, has the model answer in words, and returns what the model was asked. */
  async ask(words: string): Promise<MessagesRequest> {
    const answer = `mock answer ${++this.answers}`;
    this.api.script([text(answer)]);
    await this.prompt(words);
    const request = await this.api.nextRequest(`the prompt "${words}"`, (turn) =>
      contextText(turn).includes(words),
    );
    await this.terminal.shows(answer);
    return request;
  }

  /** Goes on to that mode, as a user does. */
  async switchTo(mode: PermissionMode): Promise<void> {
    await until(`${mode} mode`, async () => {
      await this.terminal.press('Shift+Tab');
      return (await this.terminal.settled()).includes(prompts[mode]);
    });
  }

  /** Approves, in the terminal, what the CLI asks there. */
  async sayYes(): Promise<void> {
    const question = 'Do you want to';
    await this.terminal.shows(question);
    // In the moment in which it begins to ask, the CLI hears no key.
    await until('the question to go', async () => {
      const isOnNo = /❯ *No\b/.test(await this.terminal.text()); // where it is the first, without a number
      await this.terminal.press(isOnNo ? 'ArrowDown' : 'Enter');
      await sleep(1_000);
      return !(await this.terminal.text()).includes(question);
    });
  }

  /** Refuses it. */
  sayNo(): Promise<void> {
    return this.leave('Do you want to');
  }

  /** Leaves the question or dialog that shows these words. The first Escape may be for a notification, or come too soon. */
  async leave(words: string): Promise<void> {
    await this.terminal.shows(words);
    await until(`"${words}" to go`, async () => {
      await this.terminal.press('Escape');
      await sleep(1_000);
      return !(await this.terminal.text()).includes(words);
    });
  }

  /** The CLI's process is the one that the shell runs. */
  pids(): number[] {
    return childrenOf(this.terminal.shellPid);
  }

  /** Ends the process without a chance to clean up. */
  kill(): void {
    for (const pid of this.pids()) process.kill(pid, 'SIGKILL');
  }
}
