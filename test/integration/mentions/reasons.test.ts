import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { IdeClient } from '../../support/ideClient.ts';
import { RecordedCli } from '../../support/recordedCli.ts';
import { until } from '../../support/until.ts';
import { askForReason, connectClient, propose, proposalTabs, useDesk } from '../bridge.ts';

describe('a reason for a rejection', function () {
  this.timeout(60_000);
  const desk = useDesk();
  /** Another one for each test: what the status bar says stays there for a while. */
  let name: string;
  let count = 0;
  let recorded: RecordedCli[];

  beforeEach(async () => {
    recorded = [];
    name = `a${++count}.txt`;
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
  });
  afterEach(async () => {
    recorded.forEach((cli) => cli.removeSessionFile());
    vscode.window.terminals.forEach((terminal) => terminal.dispose()); // what waits for them is given up
    await status().filter({ hasNotText: 'waiting' }).waitFor();
  });

  const status = () => desk.ui.page.locator('[id$="ideBridge.status"]');
  const toast = (words: string) => desk.ui.page.locator('.notification-toast', { hasText: words }).first();
  const row = (words: string) => desk.ui.page.locator('.pane .monaco-list-row', { hasText: words });
  const menu = (words: string) =>
    desk.ui.page.locator('.quick-input-widget .monaco-list-row', { hasText: words });

  interface Cli {
    client: IdeClient;
    cli: RecordedCli;
    terminal: vscode.Terminal;
    /** What it has read: the lines that were ended with Enter. */
    readonly typed: () => string;
  }

  /** A CLI in a terminal, which is no more than the program there, and what it writes down of itself. */
  async function startCli({ program = 'exec cat', isRecorded = true } = {}): Promise<Cli> {
    const output = desk.scratch.path(`typed-${recorded.length}.txt`);
    const terminal = vscode.window.createTerminal('agent');
    terminal.show();
    const pid = await terminal.processId;
    assert.ok(pid);
    terminal.sendText(`${program} > "${output}"`);
    await until('the program', () => existsSync(output), 20_000);
    const { CLAUDE_CONFIG_DIR } = process.env;
    assert.ok(CLAUDE_CONFIG_DIR, 'the runner sets CLAUDE_CONFIG_DIR');
    const cli = new RecordedCli(CLAUDE_CONFIG_DIR, desk.scratch.folder, pid);
    recorded.push(cli);
    if (isRecorded) {
      cli.is('idle');
    }
    const client = await connectClient(pid);
    return { client, cli, terminal, typed: () => readFileSync(output, 'utf8') };
  }

  /** Proposes an edit, about which the CLI then asks, too. */
  async function proposeIn({ client, cli }: Cli, of = name): Promise<{ answer: Promise<string[]> }> {
    const path = desk.scratch.write(of, 'text\n');
    cli.call('Edit', { file_path: path });
    cli.is('waiting', 'permission prompt');
    return propose(client, path, 'changed\n', of);
  }

  async function rejectWith(reason: string, beforeEnter = async () => {}): Promise<void> {
    const input = await askForReason(desk.ui);
    await input.fill(reason);
    await beforeEnter();
    await input.press('Enter');
  }

  /** Another question comes in the place of the proposal's. */
  function ask(cli: RecordedCli): void {
    cli.result('rejected');
    cli.call('Bash', { command: 'npm test' });
    cli.is('waiting', 'permission prompt');
  }

  /** A CLI that has asked something else when its proposal was rejected with a reason. */
  async function startWithReason(): Promise<Cli> {
    const cli = await startCli();
    await proposeIn(cli);
    await rejectWith('use a map');
    ask(cli.cli);
    return cli;
  }

  async function press(message: string, label: string): Promise<void> {
    await desk.ui.page.mouse.move(0, 0); // away from what would show a tooltip over it
    await toast(message).getByRole('button', { name: label }).click();
  }

  /** From then on it is not expected in the terminal. */
  const waits = () => desk.ui.page.getByText(`Your reason for ${name} waits: `).first().waitFor();

  /** What is on the screen of the terminal in front. */
  async function screen(): Promise<string> {
    const rows = await desk.ui.page.locator('.terminal-wrapper.active .xterm-rows').innerText();
    return rows.replaceAll('\u00a0', ' ');
  }

  /** The user sends what stands in the prompt. */
  async function enter({ typed }: Cli, line: string): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.terminal.focus');
    await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
    await desk.ui.page.keyboard.press('Enter');
    await until(line, () => typed() === `${line}\n`, 5_000, typed);
  }

  const pasted = (words: string) => `\x1b[200~${words}\x1b[201~`;

  async function openEditor(): Promise<void> {
    await vscode.window.showTextDocument(vscode.Uri.file(desk.scratch.write('other.txt', 'other\n')));
    await desk.ui.page.locator('.editor-instance .view-lines').first().click();
    await desk.ui.page.keyboard.press('ArrowRight');
  }

  it('is pasted once the CLI has its prompt back, and sent by the user', async () => {
    const cli = await startCli();
    const { answer } = await proposeIn(cli);
    await rejectWith('1 is not the answer');
    assert.deepEqual(await answer, ['DIFF_REJECTED', name]);
    await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
    cli.cli.is('idle');
    await desk.ui.page.getByText('Reason pasted').first().waitFor();
    await desk.ui.screenshot('reason-pasted');
    assert.equal(cli.typed(), '', 'not by us');
    await enter(cli, pasted('Reason: 1 is not the answer'));
  });

  it('waits, and says so, while the CLI asks something else or works', async () => {
    const cli = await startWithReason();
    await waits();
    await status().filter({ hasText: '1 waiting' }).waitFor();
    await row('reason waits').waitFor();
    await desk.ui.screenshot('reason-waits');
    cli.cli.is('busy');
    await row('Working').waitFor();
    await status().filter({ hasText: '1 waiting' }).waitFor();
    assert.doesNotMatch(await screen(), /use a map/);
    cli.cli.is('shell');
    await press('can be pasted into the prompt', 'Paste');
    await until('the words', async () => (await screen()).includes('use a map'));
    await status().filter({ hasNotText: 'waiting' }).waitFor();
    await enter(cli, pasted('use a map'));
  });

  it('is offered, not pasted, where the user may be typing by then', async () => {
    const cli = await startWithReason();
    await waits();
    await desk.ui.page.keyboard.type('half a draft ');
    cli.cli.is('idle');
    await toast('can be pasted into the prompt').waitFor();
    await desk.ui.screenshot('reason-offered');
    assert.doesNotMatch(await screen(), /use a map/);
    await press('can be pasted into the prompt', 'Paste');
    await until('the words', async () => (await screen()).includes('use a map'));
    await enter(cli, `half a draft ${pasted('use a map')}`);
  });

  it('is pasted, and that is told, where the user is elsewhere by then', async () => {
    const cli = await startWithReason();
    await openEditor();
    await waits();
    cli.cli.is('idle');
    await press('was pasted into the prompt', 'Show');
    await enter(cli, pasted('use a map'));
  });

  it('is pasted when the user leaves the terminal in which it was offered', async () => {
    const cli = await startWithReason();
    await waits();
    cli.cli.is('idle');
    await toast('can be pasted into the prompt').waitFor();
    await openEditor();
    await toast('was pasted into the prompt').waitFor();
    await enter(cli, pasted('use a map'));
  });

  it('waits until the one before it was sent', async () => {
    const cli = await startCli();
    await proposeIn(cli);
    await proposeIn(cli, 'b.txt');
    await rejectWith('first of two');
    await until('one', () => proposalTabs().length === 1);
    await rejectWith('second of two');
    cli.cli.is('idle');
    await until('the first', async () => (await screen()).includes('first of two'));
    await status().filter({ hasText: '1 waiting' }).waitFor();
    await enter(cli, pasted('first of two'));
    cli.cli.is('busy');
    await setTimeout(20); // its record has the time in ms
    cli.cli.is('idle');
    await until('the second', async () => (await screen()).includes('second of two'));
  });

  it('can be copied and discarded while it waits', async () => {
    const cli = await startWithReason();
    await status().filter({ hasText: '1 waiting' }).click();
    await menu('Copy 1 Waiting Reason').click();
    await until('a copy', async () => (await vscode.env.clipboard.readText()) === 'use a map');
    void vscode.commands.executeCommand('ideBridge.showMenu');
    await menu('Discard 1 Waiting Reason').click();
    await status().filter({ hasNotText: 'waiting' }).waitFor();
    cli.cli.is('idle');
    await row('Idle').first().waitFor();
    await setTimeout(1_000); // in which it would be pasted
    assert.doesNotMatch(await screen(), /use a map/);
  });

  it('waits for a CLI that comes back, as after a reload of the window', async () => {
    const cli = await startWithReason();
    await status().filter({ hasText: '1 waiting' }).waitFor();
    await cli.client.close();
    cli.cli.is('idle');
    await setTimeout(1_500); // it is looked for once in a second
    await status().filter({ hasText: '1 waiting' }).waitFor();
    await connectClient(await cli.terminal.processId);
    await until('the words', async () => (await screen()).includes('use a map'), 10_000);
    await enter(cli, pasted('use a map'));
  });

  it('waits while another program reads the terminal', async () => {
    const cli = await startCli({ program: 'true' }); // the shell is the CLI
    await proposeIn(cli);
    await rejectWith('use a map');
    ask(cli.cli);
    await waits();
    cli.terminal.sendText('cat');
    await until('cat', async () => /cat\s*$/.test((await screen()).trimEnd()));
    await openEditor();
    cli.cli.is('idle');
    await setTimeout(1_500); // it is looked for once in a second
    await status().filter({ hasText: '1 waiting' }).waitFor();
    assert.doesNotMatch(await screen(), /use a map/);
    cli.terminal.sendText('\x03', false);
    await toast('was pasted into the prompt').waitFor();
    await until('the words', async () => (await screen()).includes('use a map'));
  });

  it('is given back when the CLI ends', async () => {
    const cli = await startWithReason();
    await status().filter({ hasText: '1 waiting' }).waitFor();
    await waits();
    await vscode.env.clipboard.writeText('of the user');
    cli.terminal.dispose();
    await cli.client.close();
    await toast('has ended').waitFor();
    assert.equal(await vscode.env.clipboard.readText(), 'of the user');
    await press('has ended', 'Copy');
    await until('a copy', async () => (await vscode.env.clipboard.readText()) === 'use a map');
  });

  it('is given back when the records may not be read any more', async () => {
    await startWithReason();
    await status().filter({ hasText: '1 waiting' }).waitFor();
    await desk.configure('ideBridge.records.enabled', false);
    await toast('are not read any more').waitFor();
    assert.doesNotMatch(await screen(), /use a map/);
  });

  it('is given back with all the others of its CLI', async () => {
    const cli = await startCli();
    const names = [name, 'b.txt', 'c.txt'];
    for (const each of names) {
      await proposeIn(cli, each);
    }
    let last = '';
    for (const left of [2, 1, 0]) {
      [last = ''] = proposalTabs();
      await rejectWith('use a map'); // the one in front
      await until(`${left} proposals`, () => proposalTabs().length === left);
    }
    ask(cli.cli);
    await status().filter({ hasText: '3 waiting' }).waitFor();
    // A moment after its rejection a reason is put on the clipboard, unasked.
    await desk.ui.page
      .getByText(`Your reason for ${last.split(' ')[0]} waits`)
      .first()
      .waitFor();
    await vscode.commands.executeCommand('notifications.clearAll');
    await desk.configure('ideBridge.records.enabled', false);
    // In the list of all: no more than three are on the screen.
    await vscode.commands.executeCommand('notifications.showList');
    const all = desk.ui.page.locator('.notifications-center .notification-list-item');
    for (const each of names) {
      await all.filter({ hasText: `Copy your reason for ${each}?` }).waitFor();
    }
  });

  describe('is put on the clipboard', () => {
    it('when something else reads the terminal', async () => {
      const cli = await startCli({ program: 'cat' });
      const { answer } = await proposeIn(cli);
      await rejectWith('not for cat');
      await answer;
      await toast('is what reads its terminal now').waitFor();
      assert.equal(await vscode.env.clipboard.readText(), 'not for cat');
      cli.cli.is('idle');
      await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
      await desk.ui.page.keyboard.type('mine\n');
      await until('only what the user typed', () => cli.typed() === 'mine\n');
    });

    it('when no record says what the CLI is at', async () => {
      const cli = await startCli({ isRecorded: false });
      const { answer } = await propose(cli.client, desk.scratch.write(name, 'text\n'), 'changed\n');
      await rejectWith('because');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
      await toast('No record of').waitFor();
      assert.equal(await vscode.env.clipboard.readText(), 'because');
      assert.doesNotMatch(await screen(), /because/);
    });

    it('when the proposal is decided in the terminal meanwhile', async () => {
      const cli = await startCli();
      await proposeIn(cli);
      await rejectWith('too late', async () => {
        await cli.client.callForTexts('close_tab', { tab_name: name });
        cli.cli.is('idle');
      });
      await toast('was decided elsewhere meanwhile').waitFor();
      assert.equal(await vscode.env.clipboard.readText(), 'too late');
      assert.doesNotMatch(await screen(), /too late/);
    });
  });

  it('is refused where the terminal is not known', async () => {
    await propose(desk.client, desk.scratch.write(name, 'text\n'), 'changed\n');
    await vscode.commands.executeCommand('ideBridge.rejectProposalWithReason');
    await desk.ui.page.getByText('is not in this window').first().waitFor();
    assert.equal(proposalTabs().length, 1);
  });
});
