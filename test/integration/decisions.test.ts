import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import type { IdeClient } from '../support/ideClient.ts';
import { connectUi, type Ui } from '../support/ui.ts';
import { until } from '../support/until.ts';
import { skipOnFloor, connectClient, propose, proposalTabs, Scratch, tabs } from './bridge.ts';

describe('a decision', () => {
  let ui: Ui;
  let client: IdeClient;
  let scratch: Scratch;
  let file: string;
  const changedSettings = new Set<string>();

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  beforeEach(async () => {
    scratch = new Scratch();
    file = scratch.write('hello.txt', 'one\ntwo\n');
    client = await connectClient();
  });
  afterEach(async () => {
    await client.close();
    await until('the diffs of a closed client to be gone', () => proposalTabs().length === 0);
    for (const name of changedSettings) {
      await set(name, undefined);
    }
    changedSettings.clear();
    vscode.window.terminals.forEach((terminal) => terminal.dispose());
    await until('the terminals to go', () => vscode.window.terminals.length === 0);
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  async function set(name: string, value: unknown): Promise<void> {
    changedSettings.add(name);
    await vscode.workspace
      .getConfiguration('ideBridge.diff')
      .update(name, value, vscode.ConfigurationTarget.Global);
  }

  async function openFile(name: string): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument(scratch.write(name, 'x\n'));
    return vscode.window.showTextDocument(document, { preview: false });
  }

  /** A terminal that writes what it reads into a file, and a client that runs in it as a CLI would. */
  async function openTerminalWithClient(): Promise<{
    typed: string;
    inTerminal: IdeClient;
    terminal: vscode.Terminal;
  }> {
    const typed = scratch.path('typed.txt');
    const terminal = vscode.window.createTerminal('agent');
    terminal.show();
    const pid = await terminal.processId;
    assert.ok(pid);
    terminal.sendText(`cat > "${typed}"`);
    await until('cat', () => existsSync(typed), 20_000);
    return { typed, inTerminal: await connectClient(pid), terminal };
  }

  const proposedSide = () => ui.page.locator('.editor.modified .view-lines').first();
  const accept = () => vscode.commands.executeCommand('ideBridge.acceptProposal');
  const hasEditorFocus = () =>
    ui.page.evaluate<boolean>('document.activeElement.closest(".monaco-editor") !== null');

  describe('brings the focus back', () => {
    it('to the terminal from which the prompt came', async () => {
      const { inTerminal } = await openTerminalWithClient();
      await openFile('other.txt');
      await ui.page.locator('.editor-instance .view-lines').first().click();
      await inTerminal.callForTexts('closeAllDiffTabs'); // the prompt
      const { answer } = await propose(inTerminal, file, 'changed\n');
      await proposedSide().click();
      await until('the focus in the diff', () => hasEditorFocus());
      await ui.page.keyboard.press('Control+Enter');
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
      await until('the focus in the terminal', () => ui.hasTerminalFocus());
      await inTerminal.close();
    });

    it('to the file that was typed in', async () => {
      await openFile('typed in.txt');
      await ui.page.locator('.editor-instance .view-lines').first().click();
      await ui.page.keyboard.type('a');
      const { answer } = await propose(client, file, 'changed\n');
      await proposedSide().click();
      await ui.page.keyboard.press('Control+Shift+Backspace');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
      await until('the file in front', () =>
        vscode.window.activeTextEditor?.document.uri.path.endsWith('typed in.txt'),
      );
      await until('the focus', () => hasEditorFocus());
    });

    it('not before the last of several is decided', async () => {
      const { inTerminal } = await openTerminalWithClient();
      await inTerminal.callForTexts('closeAllDiffTabs');
      await propose(inTerminal, file, 'changed\n', 'A');
      await propose(inTerminal, scratch.path('b.txt'), 'b\n', 'B');
      await proposedSide().click();
      await ui.page.keyboard.press('Control+Enter');
      await until('one', () => proposalTabs().length === 1);
      assert.ok(!(await ui.hasTerminalFocus()));
      await proposedSide().click();
      await ui.page.keyboard.press('Control+Enter');
      await until('the focus in the terminal', () => ui.hasTerminalFocus());
      await inTerminal.close();
    });

    it('only if the user wants it so', async () => {
      await set('returnFocus', false);
      const { inTerminal } = await openTerminalWithClient();
      await inTerminal.callForTexts('closeAllDiffTabs');
      const { answer } = await propose(inTerminal, file, 'changed\n');
      await proposedSide().click();
      await ui.page.keyboard.press('Control+Enter');
      await answer;
      await until('the tab to close', () => proposalTabs().length === 0);
      assert.ok(!(await ui.hasTerminalFocus()));
      await inTerminal.close();
    });
  });

  describe('with a reason', () => {
    async function rejectWith(reason: string): Promise<void> {
      void vscode.commands.executeCommand('ideBridge.rejectProposalWithReason');
      const input = ui.page.locator('.quick-input-widget input:visible');
      await input.waitFor();
      await until('its focus', () =>
        ui.page.evaluate<boolean>('document.activeElement.closest(".quick-input-widget") !== null'),
      );
      await ui.page.keyboard.type(reason);
      await ui.page.keyboard.press('Enter');
    }

    it('is typed into the session’s terminal, once the CLI has closed its question', async () => {
      const { typed, inTerminal } = await openTerminalWithClient();
      const { answer } = await propose(inTerminal, file, 'changed\n');
      await rejectWith('1 is not the answer');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
      assert.equal(readFileSync(typed, 'utf8'), '', 'not before');
      await inTerminal.callForTexts('close_tab', { tab_name: 'T1' });
      await until('the reason', () => readFileSync(typed, 'utf8') === '1 is not the answer\n');
      await inTerminal.close();
    });

    it('is put on the clipboard when the CLI does not go on', async () => {
      const { typed, inTerminal } = await openTerminalWithClient();
      const { answer } = await propose(inTerminal, file, 'changed\n');
      await rejectWith('because');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
      await ui.page.getByText('Your reason is on the clipboard').first().waitFor();
      assert.equal(await vscode.env.clipboard.readText(), 'because');
      assert.equal(readFileSync(typed, 'utf8'), '');
      await inTerminal.close();
    });

    it('is refused where the terminal is not known', async () => {
      await propose(client, file, 'changed\n');
      await vscode.commands.executeCommand('ideBridge.rejectProposalWithReason');
      await ui.page.getByText('is not in this window').first().waitFor();
      assert.equal(proposalTabs().length, 1);
    });
  });

  describe('follows the settings:', () => {
    it('takeFocus', async () => {
      await openFile('other.txt');
      const terminal = vscode.window.createTerminal('busy');
      terminal.show();
      await until('the focus in the terminal', () => ui.hasTerminalFocus(), 20_000);
      await set('takeFocus', true);
      await propose(client, file, 'changed\n');
      await until('the focus in the diff', () => hasEditorFocus());
    });

    it('location beside: one column for all of them', async function () {
      skipOnFloor(this);
      await set('location', 'beside');
      await openFile('other.txt');
      await propose(client, file, 'changed\n', 'A');
      await proposedSide().click();
      await propose(client, scratch.path('b.txt'), 'b\n', 'B');
      assert.deepEqual(
        vscode.window.tabGroups.all.map((group) => group.tabs.length),
        [1, 2],
      );
    });

    it('location newWindow: one window for all of them', async () => {
      await set('location', 'newWindow');
      await openFile('other.txt');
      const pages = () => ui.page.context().pages().length;
      const before = pages();
      const first = await propose(client, file, 'changed\n', 'A');
      await until('a window', () => pages() === before + 1, 20_000);
      const second = await propose(client, scratch.path('b.txt'), 'b\n', 'B');
      await until('two diffs', () => proposalTabs().length === 2);
      assert.equal(pages(), before + 1);
      for (const { uri } of [first, second]) {
        await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      }
      assert.deepEqual(await first.answer, ['FILE_SAVED', 'changed\n']);
      assert.deepEqual(await second.answer, ['FILE_SAVED', 'b\n']);
      await until('the window to close', () => pages() === before);
    });

    it('acceptOnSave off: saving decides nothing', async () => {
      await set('acceptOnSave', false);
      const { answer } = await propose(client, file, 'changed\n');
      await proposedSide().click();
      await ui.page.keyboard.type('x');
      await ui.page.keyboard.press('Control+s');
      await until('the save', () => tabs().every(({ isDirty }) => !isDirty));
      assert.equal(proposalTabs().length, 1);
      await accept();
      assert.match((await answer)[1] ?? '', /x/);
    });

    it('keepOpenAfterAccept: the file is left open, a new one once it is written', async () => {
      await set('keepOpenAfterAccept', true);
      const first = await propose(client, file, 'changed\n', 'A');
      await accept();
      await first.answer;
      await until('the file', () => tabs().some(({ label }) => label === 'hello.txt'));
      const second = await propose(client, scratch.path('new.txt'), 'new\n', 'B');
      await accept();
      await second.answer;
      scratch.write('new.txt', 'new\n');
      await until('the new file', () => tabs().some(({ label }) => label === 'new.txt'));
    });
  });
});
