import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { IdeClient } from '../../support/ideClient.ts';
import { connectUi, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { clickInto, connectClient, currentLock, propose, Scratch } from '../bridge.ts';
import { closeTerminals, configure, FakeCli } from '../fakeCli.ts';

/** For what does not wait in view to be told, in ms. */
const longEnough = 1_900;

describe('attention', function () {
  this.timeout(60_000);
  let ui: Ui;
  let scratch: Scratch;
  let cli: FakeCli;
  let client: IdeClient;

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  beforeEach(async function () {
    // All of it is out of view in a window without the focus, which a headless one does not always have.
    await ui.page.bringToFront();
    await ui.page.mouse.move(700, 300); // a tooltip of the status bar would cover the notifications
    if (!vscode.window.state.focused) {
      this.skip();
    }
    scratch = new Scratch();
    await currentLock();
    cli = await FakeCli.install(scratch);
    await vscode.commands.executeCommand('ideBridge.newSessionInPanel');
    client = await connectClient((await cli.run(1)).pid);
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
    // Those of the tests before may be there for a moment.
    await ui.page.locator('.monaco-list-row', { hasText: /Claude Code.*Connected/ }).waitFor();
  });
  afterEach(async function () {
    if (this.currentTest?.isPending()) {
      return;
    }
    await client.close();
    await configure('command', undefined);
    await configure('attention.notify', undefined);
    await vscode.commands.executeCommand('notifications.clearAll');
    await closeTerminals(cli);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  const toasts = () => ui.page.locator('.notification-toast', { hasText: / proposes | waits for you/ });
  const status = () => ui.page.locator('[id$="ideBridge.status"]');

  /** Proposes an edit, whose diff opens behind the file that the user is in, with the terminal out of view. */
  async function proposeOutOfView(): Promise<void> {
    await lookElsewhere();
    await propose(client, scratch.write('a.txt', 'a\n'), 'b\n');
  }

  async function lookElsewhere(): Promise<void> {
    await newTerminalInFront();
    await clickInto(ui, scratch.write('other.txt', 'other\n'));
  }

  async function newTerminalInFront(): Promise<void> {
    const terminal = vscode.window.createTerminal('another');
    terminal.show(true);
    await until('the other terminal', () => vscode.window.activeTerminal === terminal);
  }

  it('is asked for once per proposal that waits out of view, and no longer when it is decided', async () => {
    await proposeOutOfView();
    await toasts().getByText('proposes a change to a.txt').waitFor();
    await until('the colour', async () => /warning/.test((await status().getAttribute('class')) ?? ''));
    await ui.screenshot('attention-proposal');
    await vscode.commands.executeCommand('notifications.hideToasts');
    // Another look away is no new wait.
    await vscode.commands.executeCommand('workbench.action.previousEditor');
    await vscode.commands.executeCommand('workbench.action.nextEditor');
    await setTimeout(longEnough);
    assert.deepEqual(await toasts().allInnerTexts(), []);
    await client.callForTexts('closeAllDiffTabs');
    await until('no colour', async () => !/warning/.test((await status().getAttribute('class')) ?? ''));
  });

  it('is asked for by one notification for several proposals, which tells what is left of them', async () => {
    await lookElsewhere();
    const proposed: vscode.Uri[] = [];
    for (const name of ['a.txt', 'b.txt', 'c [x](command:y).txt']) {
      proposed.push((await propose(client, scratch.write(name, 'a\n'), 'b\n', name)).uri);
    }
    const [a, b, c] = proposed;
    assert.ok(a && b && c);
    const toast = toasts().filter({ hasText: 'Claude Code proposes 3 changes (Show). a.txt, b.txt, c' });
    await toast.waitFor();
    assert.equal(await toasts().count(), 1);
    assert.equal(await toast.locator('.notification-list-item-message a').count(), 1);
    await ui.screenshot('attention-proposals');
    await vscode.commands.executeCommand('ideBridge.acceptProposal', a);
    await toasts().filter({ hasText: 'Claude Code proposes 2 changes (Show). b.txt, c' }).waitFor();
    await vscode.commands.executeCommand('ideBridge.rejectProposal', c);
    const last = toasts().filter({ hasText: 'Claude Code proposes a change to b.txt (Show).' });
    await last.waitFor();
    await last.locator('a', { hasText: 'Show' }).click();
    await until(
      'it in front',
      () => vscode.window.activeTextEditor?.document.uri.toString() === b.toString(),
    );
    await toasts().waitFor({ state: 'detached' });
    await client.callForTexts('closeAllDiffTabs');
  });

  it('is no more asked for by a notification when the proposal is decided elsewhere', async () => {
    await proposeOutOfView();
    await toasts().getByText('proposes a change to a.txt').waitFor();
    await client.callForTexts('closeAllDiffTabs');
    await toasts().waitFor({ state: 'detached' });
  });

  it('is not asked for by notification if the user does not want that', async () => {
    await configure('attention.notify', false);
    await proposeOutOfView();
    await until('the colour', async () => /warning/.test((await status().getAttribute('class')) ?? ''));
    await setTimeout(longEnough);
    assert.deepEqual(await toasts().allInnerTexts(), []);
    await client.callForTexts('closeAllDiffTabs');
  });

  it('is not asked for by a proposal in view', async () => {
    await propose(client, scratch.write('a.txt', 'a\n'), 'b\n');
    await ui.page.locator('.monaco-list-row', { hasText: 'Proposal open' }).waitFor();
    await setTimeout(longEnough);
    assert.deepEqual(await toasts().allInnerTexts(), []);
    await client.callForTexts('closeAllDiffTabs');
  });

  it('is asked for by a bell in a terminal out of view, until the terminal is shown', async () => {
    await newTerminalInFront();
    await cli.say((await cli.run(1)).pid, '\x07');
    await ui.page.locator('.monaco-list-row', { hasText: 'Waiting for you' }).waitFor();
    const toast = toasts().filter({ hasText: 'Claude Code waits for you' });
    await toast.locator('a', { hasText: 'Show' }).click();
    await until('its terminal', () => vscode.window.activeTerminal?.name === 'Claude Code');
    await ui.page.locator('.monaco-list-row', { hasText: 'Connected' }).waitFor();
    await toast.waitFor({ state: 'detached' });
  });

  it('is asked for by a bell in the panel, which may be closed, while the user is in an editor', async () => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(scratch.write('two.txt', 'a\nb\n')));
    await vscode.commands.executeCommand('workbench.action.closePanel');
    await ui.page.locator('.editor-instance .view-line', { hasText: 'a' }).click();
    await ui.page.keyboard.press('ArrowDown');
    await until('the cursor', () => editor.selection.active.line === 1);
    await cli.say((await cli.run(1)).pid, '\x07');
    await toasts().filter({ hasText: 'Claude Code waits for you' }).waitFor();
    await until('the colour', async () => /warning/.test((await status().getAttribute('class')) ?? ''));
    // The terminal is the active one all along, so VS Code tells nothing of this.
    await vscode.commands.executeCommand('ideBridge.run');
    await ui.page.locator('.monaco-list-row', { hasText: 'Connected' }).waitFor();
  });

  it('is asked for by a bell in a terminal of the editor area that another tab covers', async () => {
    await vscode.commands.executeCommand('ideBridge.newSessionInEditor');
    const { pid } = await cli.run(2);
    const second = await connectClient(pid);
    await ui.page.locator('.monaco-list-row', { hasText: 'Claude Code 2' }).waitFor();
    await vscode.window.showTextDocument(vscode.Uri.file(scratch.write('other.txt', '')));
    await cli.say(pid, '\x07');
    await toasts().filter({ hasText: 'Claude Code 2 waits for you' }).waitFor();
    await second.close();
  });

  it('is not asked for by a bell in a terminal of the editor area that is in view beside the user’s file', async () => {
    await vscode.window.showTextDocument(vscode.Uri.file(scratch.write('two.txt', 'a\nb\n')));
    await vscode.commands.executeCommand('workbench.action.createTerminalEditorSide');
    const terminal = await until(
      'the shell',
      () =>
        vscode.window.terminals.find(
          ({ name, shellIntegration }) => name !== 'Claude Code' && shellIntegration,
        ),
      20_000,
    );
    terminal.sendText(scratch.path('fake-claude'));
    const { pid } = await cli.run(2);
    const second = await connectClient(pid);
    await ui.page.locator('.editor-instance .view-line', { hasText: 'a' }).click();
    await ui.page.keyboard.press('ArrowDown');
    await until('the cursor', () => vscode.window.activeTextEditor?.selection.active.line === 1);
    await cli.say(pid, '\x07');
    await setTimeout(longEnough);
    assert.equal(await toasts().count(), 0);
    await second.close();
  });

  it('is asked for once by a CLI that has worked out of view, and has stopped', async () => {
    const { pid } = await cli.run(1);
    await cli.say(pid, '\x1b]0;◐ Claude Code\x07');
    const row = (state: string) => ui.page.locator('.monaco-list-row', { hasText: state });
    await row('Working').waitFor();
    await ui.screenshot('session-working');
    await newTerminalInFront();
    await cli.say(pid, '\x1b]0;✳ Claude Code\x07');
    await row('Waiting for you').waitFor();
    await toasts().getByText('Claude Code waits for you').waitFor();
    await vscode.commands.executeCommand('notifications.hideToasts');
    await cli.say(pid, '\x1b]0;✳ Claude Code\x07\x07');
    await setTimeout(longEnough);
    assert.equal(await toasts().count(), 0);
    // Seen, and left without an answer: another bell is for the same wait.
    await vscode.commands.executeCommand('ideBridge.run');
    await row('Idle or asking').waitFor();
    await setTimeout(longEnough);
    await newTerminalInFront();
    await cli.say(pid, '\x07');
    await setTimeout(longEnough);
    assert.equal(await toasts().count(), 0);
    await cli.say(pid, '\x1b]0;◑ Claude Code\x07');
    await row('Working').waitFor();
  });

  it('is asked for by a CLI that the user’s setting calls by another name', async () => {
    await FakeCli.install(scratch, 'cc');
    await vscode.commands.executeCommand('ideBridge.newSessionInPanel');
    const { pid } = await cli.run(2);
    const second = await connectClient(pid);
    await ui.page.locator('.monaco-list-row', { hasText: 'Claude Code 2' }).waitFor();
    await cli.say(pid, '\x1b]0;◐ Claude Code\x07');
    await ui.page.locator('.monaco-list-row', { hasText: 'Working' }).waitFor();
    await second.close();
  });

  it('is not asked for by a CLI that stops in view', async () => {
    const { pid } = await cli.run(1);
    for (const sign of ['◐', '✳']) {
      await cli.say(pid, `\x1b]0;${sign} Claude Code\x07`);
      await ui.page
        .locator('.monaco-list-row', { hasText: sign === '✳' ? 'Idle or asking' : 'Working' })
        .waitFor();
    }
    await setTimeout(longEnough);
    assert.equal(await toasts().count(), 0);
  });

  it('is asked for once by a proposal in front of a window without the focus', async () => {
    await ui.setWindowFocus(false);
    try {
      await until('the window to lose the focus', () => !vscode.window.state.focused);
      const { pid } = await cli.run(1);
      await cli.say(pid, '\x1b]0;◐ Claude Code\x07');
      await propose(client, scratch.write('a.txt', 'a\n'), 'b\n');
      // The CLI stops for the question in its terminal as well: that is the same wait.
      await cli.say(pid, '\x1b]0;✳ Claude Code\x07');
      await toasts().getByText('Claude Code proposes a change to a.txt').waitFor();
      await setTimeout(longEnough);
      assert.equal(await toasts().count(), 1);
      await client.callForTexts('closeAllDiffTabs');
    } finally {
      await ui.setWindowFocus(true);
    }
  });
});
