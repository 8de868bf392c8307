import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { RecordedCli } from '../../support/recordedCli.ts';
import { tooltip } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { clickInto, connectClient, endReview, letMomentPass, propose, tabs, useDesk } from '../bridge.ts';
import { editAs } from '../changes/edits.ts';
import { closeTerminals, FakeCli } from '../fakeCli.ts';

/** For what does not wait in view to be told, in ms. */
const longEnough = 1_900;

describe('the records of a session', function () {
  this.timeout(60_000);
  const desk = useDesk();
  let clis: RecordedCli[];
  let cli: RecordedCli;

  beforeEach(async () => {
    clis = [];
    // The client of the desk is a CLI outside of this window's terminals, as one in tmux is.
    cli = recordedCli(process.pid);
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
  });
  afterEach(() => clis.forEach((each) => each.removeSessionFile()));

  function recordedCli(pid: number): RecordedCli {
    const { CLAUDE_CONFIG_DIR } = process.env;
    assert.ok(CLAUDE_CONFIG_DIR, 'the runner sets CLAUDE_CONFIG_DIR');
    const recorded = new RecordedCli(CLAUDE_CONFIG_DIR, desk.scratch.folder, pid);
    clis.push(recorded);
    return recorded;
  }

  /** Not one of the notifications, which are rows, too. */
  const row = (state: string) => desk.ui.page.locator('.pane .monaco-list-row', { hasText: state });
  const toasts = () =>
    desk.ui.page.locator('.notification-toast', { hasText: / proposes | waits for you| has finished/ });
  const status = () => desk.ui.page.locator('[id$="ideBridge.status"]');
  const isColoured = async () => /warning/.test((await status().getAttribute('class')) ?? '');

  const statusText = async () => ((await status().textContent()) ?? '').trim();
  const menu = () => desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row');

  function ask(command = 'npm test'): void {
    cli.call('Bash', { command });
    cli.is('waiting', 'permission prompt');
  }

  it('say what it is at through a turn, and what it asks', async () => {
    cli.is('idle');
    await row('Idle').waitFor();
    cli.prompt('mend the test\nand tell me');
    cli.is('busy');
    await row('Working').waitFor();
    ask();
    await row('Asks: Bash: npm test').filter({ hasText: '“mend the test”' }).waitFor();
    const words = await tooltip(desk.ui, row('Asks: Bash: npm test'), 'Prompt: mend the test');
    await desk.ui.screenshot('session-asks');
    for (const line of ['Mode: default', 'Model: mock-model', 'Context: 1,234 tokens']) {
      assert.ok(words.includes(line), words);
    }
    assert.ok(!words.includes('and tell me'));
    cli.is('busy');
    await row('Working').waitFor();
    cli.result('passed');
    cli.answer('it is done');
    cli.is('idle');
    await row('Idle').waitFor();
    cli.prompt('now plan', 'plan');
    cli.is('busy');
    await row('Working · plan').filter({ hasText: '“now plan”' }).waitFor();
  });

  it('are shown as plain text, whatever a model has made of them', async () => {
    ask('$(bell) [x](command:workbench.action.quit) <b>y</b>');
    await row('Asks: Bash: $(bell) [x] (command:').waitFor();
    const toast = toasts().filter({ hasText: '$(bell)' });
    await toast.waitFor();
    assert.deepEqual(await toast.locator('.notification-list-item-message a').allInnerTexts(), ['Show']);
    await desk.ui.screenshot('session-asks-hostile');
  });

  it('ask for attention as long as it asks, and take the notification back when it is answered elsewhere', async () => {
    ask();
    const toast = toasts().filter({ hasText: 'waits for you (Show). Asks: Bash: npm test' });
    await toast.waitFor();
    assert.ok(await isColoured());
    await desk.ui.screenshot('attention-question');
    cli.is('busy');
    await toast.waitFor({ state: 'detached' });
    await until('no colour', async () => !(await isColoured()));
    cli.is('idle');
    await setTimeout(longEnough);
    assert.equal(await toasts().count(), 0, 'whether its end was seen is not known');
  });

  it('ask for attention anew for the next question', async () => {
    ask('one');
    await toasts().filter({ hasText: 'Bash: one' }).waitFor();
    cli.result('');
    ask('two');
    await toasts().filter({ hasText: 'Bash: two' }).waitFor();
    assert.equal(await toasts().count(), 1);
  });

  it('tell a question, a proposal and the end of work apart in row, status bar and menu', async () => {
    cli.is('busy');
    await row('Working').waitFor();
    ask();
    await row('Asks: Bash: npm test').locator('.codicon-question').waitFor();
    await until('the question', async () => (await statusText()) === 'Claude: 1 asks', 10_000, statusText);
    assert.match(await tooltip(desk.ui, status(), 'Asks: Bash'), /Claude \d+: Asks: Bash: npm test/);
    await desk.ui.screenshot('status-asks');
    cli.is('busy');
    await until('no question', async () => (await statusText()) === 'Claude: 1', 10_000, statusText);
    await propose(desk.client, desk.scratch.write('a.txt', 'a\n'), 'b\n');
    await row('Proposal open').locator('.codicon-diff').waitFor();
    await status().locator('.codicon-diff').waitFor();
    await vscode.window.showTextDocument(vscode.Uri.file(desk.scratch.write('other.txt', '')), {
      preview: false,
    });
    await status().click();
    const first = menu().first();
    await first
      .filter({ hasText: /Show Claude \d+/ })
      .filter({ hasText: 'Proposal open: a.txt' })
      .waitFor();
    await desk.ui.screenshot('menu-proposal');
    await first.click();
    await until('the diff', () =>
      /a\.txt/.test(vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? ''),
    );
  });

  it('make one wait of a proposal and the question that goes with it', async () => {
    const path = desk.scratch.write('a.txt', 'a\n');
    cli.call('Edit', { file_path: path });
    await clickInto(desk.ui, desk.scratch.write('other.txt', 'other\n')); // the diff opens behind it
    await propose(desk.client, path, 'b\n');
    cli.is('waiting', 'permission prompt');
    await toasts().getByText('proposes a change to a.txt').waitFor();
    await row('Proposal open').waitFor();
    await setTimeout(longEnough);
    assert.equal(await toasts().count(), 1);
    assert.equal(await row('Asks').count(), 0);
  });

  it('ask for attention for a question that was up behind a proposal', async () => {
    await propose(desk.client, desk.scratch.write('a.txt', 'a\n'), 'b\n');
    ask('second');
    await desk.client.callForTexts('closeAllDiffTabs');
    await row('Asks: Bash: second').waitFor();
    await toasts().filter({ hasText: 'Bash: second' }).waitFor();
  });

  it('take the notification back when the CLI ends', async () => {
    ask('to end');
    const toast = toasts().filter({ hasText: 'to end' });
    await toast.waitFor();
    cli.removeSessionFile();
    await desk.client.close();
    await toast.waitFor({ state: 'detached' });
    assert.ok(!(await isColoured()));
  });

  it('are known at once of a session that comes back, as after a reload of the window', async () => {
    await desk.client.close();
    ask('to come back');
    await connectClient();
    await row('Asks: Bash: to come back').waitFor();
    await toasts().filter({ hasText: 'to come back' }).waitFor();
  });

  it('are not read where the user does not want that, from that moment on', async () => {
    ask('to be read');
    const toast = toasts().filter({ hasText: 'to be read' });
    await toast.waitFor();
    await desk.configure('ideBridge.records.enabled', false);
    await row('Connected').waitFor();
    await toast.waitFor({ state: 'detached' });
    await desk.configure('ideBridge.records.enabled', true);
    await row('Asks: Bash: to be read').waitFor();
  });

  it('are named by the doctor as what each session is known by', async () => {
    cli.prompt('one');
    cli.is('idle');
    const report = async () => {
      await vscode.commands.executeCommand('ideBridge.copyReport');
      return vscode.env.clipboard.readText();
    };
    const says = (words: string) =>
      until(words, async () => (await report()).includes(words), 10_000, report);
    await says('What it is at is known by its session file and transcript.');
    cli.removeSessionFile();
    await says('What it is at is told by signs in its terminal alone');
    await says('it keeps no session file');
    await desk.configure('ideBridge.records.enabled', false);
    await says('records.enabled is off');
  });

  describe('in a terminal of the window', () => {
    let fake: FakeCli;

    let client: IdeClient;
    beforeEach(async function () {
      await desk.ui.page.bringToFront();
      if (!vscode.window.state.focused) {
        this.skip();
      }
      await desk.client.close();
      fake = await FakeCli.install(desk.scratch);
      await vscode.commands.executeCommand('ideBridge.newSessionInPanel');
      const { pid } = await fake.run(1);
      cli = recordedCli(pid);
      cli.is('busy');
      client = await connectClient(pid);
      await row('Working').filter({ hasText: 'Claude Code' }).waitFor();
    });
    afterEach(endReview);
    afterEach(async () => {
      await desk.configure('ideBridge.command', undefined);
      await closeTerminals(fake);
    });

    async function lookAway(): Promise<void> {
      const terminal = vscode.window.createTerminal('another');
      terminal.show(true);
      await until('the other terminal', () => vscode.window.activeTerminal === terminal);
    }

    it('ask for attention when it has finished out of view, until it is shown', async () => {
      await lookAway();
      cli.is('idle');
      await row('Done').waitFor();
      const toast = toasts().filter({ hasText: 'Claude Code has finished' });
      await toast.locator('a', { hasText: 'Show' }).click();
      await until('its terminal', () => vscode.window.activeTerminal?.name === 'Claude Code');
      await row('Idle').waitFor();
    });

    it('do not when the user has stopped it by a rejection', async () => {
      const { answer, uri } = await propose(client, desk.scratch.path('new.txt'), 'text\n');
      await lookAway();
      await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
      assert.equal((await answer)[0], 'DIFF_REJECTED');
      cli.is('idle');
      await row('Idle').waitFor();
      await setTimeout(2_000); // as long as it takes to tell
      assert.equal(await toasts().filter({ hasText: 'has finished' }).count(), 0);
    });

    it('take the user who has answered it in its terminal for being there, and no more in the file before', async () => {
      await clickInto(desk.ui, desk.scratch.write('mine.txt', ''));
      await desk.ui.page.keyboard.type('mine');
      ask();
      await row('Asks: Bash: npm test').waitFor();
      letMomentPass(10_000); // since the last key there, and the last decision of another test
      cli.is('busy'); // which the user has answered by Enter
      await row('Working').waitFor();
      const { answer, uri } = await propose(client, desk.scratch.path('new.txt'), 'text\n');
      await vscode.commands.executeCommand('ideBridge.openProposal', uri);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.equal((await answer)[0], 'FILE_SAVED');
      await until('the focus in its terminal', () => desk.ui.hasTerminalFocus());
    });

    it('offer the review of what it has changed, when it has finished', async () => {
      await lookAway();
      await editAs(client, desk.scratch.write('changed.txt', 'one\n'), 'two\n');
      await row('1 changed').waitFor();
      cli.is('idle');
      const toast = toasts().filter({ hasText: '1 changed file waits for review' });
      await toast.waitFor();
      await desk.ui.screenshot('finished-with-changes');
      await toast.locator('a', { hasText: 'Review' }).click();
      await until('the review', () =>
        tabs().some(({ label, isActive }) => isActive && /Changes by Claude Code/.test(label)),
      );
    });

    it('say that it asks as long as it does, also when that was seen; show it by the notification', async () => {
      await lookAway();
      ask();
      await row('Asks: Bash: npm test').waitFor();
      await toasts().getByText('Show').click();
      await until('its terminal', () => vscode.window.activeTerminal?.name === 'Claude Code');
      await until('no colour', async () => !(await isColoured()));
      await toasts().waitFor({ state: 'detached' });
      assert.equal(await row('Asks: Bash: npm test').count(), 1);
      await lookAway();
      await until('the colour', isColoured);
    });

    it('lead to the session that asks by the key that goes to a proposal, where there is none', async () => {
      const file = await vscode.workspace.openTextDocument(desk.scratch.write('mine.txt', ''));
      await lookAway();
      await vscode.window.showTextDocument(file);
      ask();
      await row('Asks: Bash: npm test').waitFor();
      await desk.ui.page.keyboard.press('Shift+Alt+K');
      await until('its terminal', () => vscode.window.activeTerminal?.name === 'Claude Code');
      await desk.ui.page.locator('.terminal.focus').waitFor();
      await vscode.window.showTextDocument(file);
      cli.is('idle');
      await row('Asks').waitFor({ state: 'detached' });
      await vscode.commands.executeCommand('ideBridge.openProposal'); // from the palette; the key is free then
      await desk.ui.page.getByText('No proposed change is open, and no session asks.').first().waitFor();
    });

    it('say in the status bar that it asks also in view, and which ones wait first in the menu', async () => {
      ask();
      await until('the question', async () => (await statusText()) === 'Claude: 1 asks', 10_000, statusText);
      assert.ok(!(await isColoured()));
      await lookAway();
      const other = recordedCli(process.pid);
      other.is('idle');
      const second = await connectClient();
      await row('Idle').waitFor();
      await status().click();
      await menu().nth(1).filter({ hasText: 'Run Claude Code' }).waitFor();
      await menu()
        .first()
        .filter({ hasText: 'Show Claude Code' })
        .filter({ hasText: 'Asks: Bash: npm test' })
        .waitFor();
      await desk.ui.screenshot('menu-asks');
      await menu().first().click();
      await until('its terminal', () => vscode.window.activeTerminal?.name === 'Claude Code');
      await second.close();
    });

    it('say in row and status bar that it is done, until that is seen, and not as what has to be answered', async () => {
      await lookAway();
      cli.is('idle');
      await row('Done').locator('.codicon-pass').waitFor();
      await until('the end', async () => (await statusText()) === 'Claude: 1 done', 10_000, statusText);
      assert.ok(!(await isColoured()));
      await desk.ui.screenshot('status-done');
      await vscode.commands.executeCommand('ideBridge.run');
      await until('no end', async () => (await statusText()) === 'Claude: 1', 10_000, statusText);
    });

    it('say no more than is known where they may not be read', async () => {
      await desk.configure('ideBridge.records.enabled', false);
      await row('Connected').filter({ hasText: 'Claude Code' }).waitFor();
      const { pid } = await fake.run(1);
      await fake.say(pid, '\x1b]0;◐ Claude Code\x07');
      await row('Working').waitFor();
      await fake.say(pid, '\x1b]0;✳ Claude Code\x07'); // so it is when it asks, too
      await row('Idle or asking').waitFor();
      await desk.ui.screenshot('session-unknown');
    });

    it('say that it has finished once no command of it runs in the background either', async () => {
      await lookAway();
      cli.is('shell');
      await setTimeout(longEnough);
      assert.equal(await toasts().count(), 0);
      cli.is('idle');
      await toasts().filter({ hasText: 'has finished' }).waitFor();
      assert.equal(await toasts().count(), 1);
    });

    it('ask for attention in the panel, which may be closed, after it has gone on by itself', async () => {
      cli.is('idle');
      await row('Idle').filter({ hasText: 'Claude Code' }).waitFor();
      const notes = vscode.Uri.file(desk.scratch.write('notes.txt', 'a\n'));
      await vscode.window.showTextDocument(notes, { preview: false });
      await desk.ui.page.locator('.editor-instance .view-line').first().click();
      await desk.ui.page.keyboard.type('mine');
      cli.prompt('<task-notification>the command has ended</task-notification>');
      cli.is('busy');
      await row('Working').waitFor();
      ask();
      await toasts().filter({ hasText: 'Asks: Bash: npm test' }).waitFor();
    });

    it('count, and not the signs in its terminal', async () => {
      const { pid } = await fake.run(1);
      await lookAway();
      await fake.say(pid, '\x1b]0;✳ Claude Code\x07\x07');
      await setTimeout(longEnough);
      assert.equal(await toasts().count(), 0);
      assert.equal(await row('Working').count(), 1);
    });
  });
});
