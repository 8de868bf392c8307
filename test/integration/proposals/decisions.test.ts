import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { IdeClient } from '../../support/ideClient.ts';
import { reviewRows } from '../../support/reviewRows.ts';
import { until } from '../../support/until.ts';
import {
  connectClient,
  holdMoment,
  prompt,
  propose,
  proposalTabs,
  skipOnFloor,
  tabs,
  useDesk,
} from '../bridge.ts';

describe('a decision', () => {
  const desk = useDesk();
  let file: string;

  beforeEach(() => {
    file = desk.scratch.write('hello.txt', 'one\ntwo\n');
  });

  const set = (name: string, value: unknown) => desk.configure(`ideBridge.diff.${name}`, value);

  async function openFile(name: string): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument(desk.scratch.write(name, 'x\n'));
    return vscode.window.showTextDocument(document, { preview: false });
  }

  /** A terminal that writes what it reads into a file, and a client that runs in it as a CLI would. */
  async function openTerminalWithClient(program = 'exec cat'): Promise<{
    typed: string;
    inTerminal: IdeClient;
    terminal: vscode.Terminal;
  }> {
    const typed = desk.scratch.path('typed.txt');
    const terminal = vscode.window.createTerminal('agent');
    terminal.show();
    const pid = await terminal.processId;
    assert.ok(pid);
    terminal.sendText(`${program} > "${typed}"`);
    await until('cat', () => existsSync(typed), 20_000);
    return { typed, inTerminal: await connectClient(pid), terminal };
  }

  const proposedSide = () => desk.ui.page.locator('.editor.modified .view-lines').first();
  const accept = () => vscode.commands.executeCommand('ideBridge.acceptProposal');
  const hasEditorFocus = () =>
    desk.ui.page.evaluate<boolean>('document.activeElement.closest(".monaco-editor") !== null');

  describe('brings the focus back', () => {
    it('to the terminal from which the prompt came', async () => {
      const { inTerminal } = await openTerminalWithClient();
      await openFile('other.txt');
      const told = new Promise((resolve) => {
        const subscription = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
          if (kind === vscode.TextEditorSelectionChangeKind.Mouse) {
            subscription.dispose();
            resolve(undefined);
          }
        });
      });
      await desk.ui.page.locator('.editor-instance .view-lines').first().click();
      await told;
      await delay(1_500); // in which they go to the terminal
      await inTerminal.callForTexts('closeAllDiffTabs'); // the prompt
      const { answer } = await propose(inTerminal, file, 'changed\n');
      await proposedSide().click();
      await until('the focus in the diff', () => hasEditorFocus());
      await desk.ui.page.keyboard.press('Control+Enter');
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
      await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
      await inTerminal.close();
    });

    it('to the file that was typed in', async () => {
      await openFile('typed in.txt');
      await desk.ui.page.locator('.editor-instance .view-lines').first().click();
      await desk.ui.page.keyboard.type('a');
      const { answer } = await propose(desk.client, file, 'changed\n');
      await desk.ui.page.keyboard.press('Shift+Alt+K');
      await proposedSide().click();
      await desk.ui.page.keyboard.press('Control+Shift+Backspace');
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
      await propose(inTerminal, desk.scratch.path('b.txt'), 'b\n', 'B');
      await proposedSide().click();
      await desk.ui.page.keyboard.press('Control+Enter');
      await until('one', () => proposalTabs().length === 1);
      assert.ok(!(await desk.ui.hasTerminalFocus()));
      await proposedSide().click();
      await desk.ui.page.keyboard.press('Control+Enter');
      await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
      await inTerminal.close();
    });

    it('not to a terminal whose session asks, where one key more would be its answer', async () => {
      const { inTerminal } = await openTerminalWithClient();
      await delay(1_500);
      await inTerminal.callForTexts('closeAllDiffTabs');
      const asked = await propose(inTerminal, desk.scratch.path('b.txt'), 'b\n', 'B');
      const { answer, uri } = await propose(desk.client, file, 'changed\n', 'A');
      await vscode.commands.executeCommand('ideBridge.openProposal', uri);
      await until('the focus in the diff', () => hasEditorFocus());
      await proposedSide().click();
      await desk.ui.page.keyboard.press('Control+Enter');
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
      await until('one', () => proposalTabs().length === 1);
      await delay(1_000); // in which the focus went there
      assert.ok(!(await desk.ui.hasTerminalFocus()));
      await vscode.commands.executeCommand('ideBridge.rejectProposal', asked.uri);
      await inTerminal.close();
    });

    it('only if the user wants it so', async () => {
      await set('returnFocus', false);
      const { inTerminal } = await openTerminalWithClient();
      await inTerminal.callForTexts('closeAllDiffTabs');
      const { answer } = await propose(inTerminal, file, 'changed\n');
      await proposedSide().click();
      await desk.ui.page.keyboard.press('Control+Enter');
      await answer;
      await until('the tab to close', () => proposalTabs().length === 0);
      assert.ok(!(await desk.ui.hasTerminalFocus()));
      await inTerminal.close();
    });
  });

  it('is none where a reason is asked for by a row that has just moved', async () => {
    const { inTerminal } = await openTerminalWithClient();
    await propose(desk.client, file, 'changed\n', 'A');
    const { uri } = await propose(inTerminal, desk.scratch.path('b.txt'), 'b\n', 'B');
    await vscode.commands.executeCommand('ideBridge.review.focus');
    const rowOf = (name: string) => reviewRows(desk.ui.page).filter({ hasText: name });
    const row = rowOf('b.txt');
    const item = desk.ui.page.locator('.monaco-menu').getByText('Reject with a Reason');
    await until('the menu, once its terminal is known', async () => {
      await desk.ui.page.keyboard.press('Escape');
      await row.click({ button: 'right' });
      return item.isVisible();
    });
    const goOn = holdMoment();
    await desk.client.callForTexts('close_tab', { tab_name: 'A' });
    await rowOf('hello.txt').waitFor({ state: 'detached' }); // by which the other row moves
    await item.click();
    await desk.ui.page.getByText('Nothing was done: the row has moved just now.').first().waitFor();
    goOn();
    assert.equal(await desk.ui.page.locator('.quick-input-widget input:visible').count(), 0);
    await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
    await inTerminal.close();
    await vscode.commands.executeCommand('workbench.view.explorer');
  });

  describe('follows the settings:', () => {
    it('takeFocus', async () => {
      await openFile('other.txt');
      const terminal = vscode.window.createTerminal('busy');
      terminal.show();
      await until('the focus in the terminal', () => desk.ui.hasTerminalFocus(), 20_000);
      await set('takeFocus', true);
      await propose(desk.client, file, 'changed\n');
      await until('the focus in the diff', () => hasEditorFocus());
    });

    it('location beside: one column for all of them', async function () {
      skipOnFloor(this);
      await set('location', 'beside');
      await openFile('other.txt');
      await propose(desk.client, file, 'changed\n', 'A');
      await proposedSide().click();
      await propose(desk.client, desk.scratch.path('b.txt'), 'b\n', 'B');
      assert.deepEqual(
        vscode.window.tabGroups.all.map((group) => group.tabs.length),
        [1, 2],
      );
    });

    it('location newWindow: one window for all of them', async () => {
      await set('location', 'newWindow');
      await openFile('other.txt');
      await prompt(desk.client);
      const pages = () => desk.ui.page.context().pages().length;
      const before = pages();
      const first = await propose(desk.client, file, 'changed\n', 'A');
      await until('a window', () => pages() === before + 1, 20_000);
      const second = await propose(desk.client, desk.scratch.path('b.txt'), 'b\n', 'B');
      await until('two diffs', () => proposalTabs().length === 2);
      assert.equal(pages(), before + 1);
      for (const { uri } of [first, second]) {
        await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      }
      assert.deepEqual(await first.answer, ['FILE_SAVED', 'changed\n']);
      assert.deepEqual(await second.answer, ['FILE_SAVED', 'b\n']);
      await until('the window to close', () => pages() === before);
    });

    it('location newWindow, where the browser opens none: in the window that there is', async () => {
      await set('location', 'newWindow');
      const { page } = desk.ui;
      await page.evaluate('window.openOf = window.open; window.open = () => { window.isRefused = true; }; 0');
      try {
        const { answer } = await propose(desk.client, file, 'changed\n');
        await until('the refusal', () => page.evaluate<boolean>('window.isRefused === true'));
        await accept();
        assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
      } finally {
        await page.evaluate('window.open = window.openOf; 0');
      }
    });

    it('acceptOnSave off: saving decides nothing', async () => {
      await set('acceptOnSave', false);
      const { answer } = await propose(desk.client, file, 'changed\n');
      await proposedSide().click();
      await desk.ui.page.keyboard.type('x');
      await until('the typing', () => tabs().some(({ isDirty }) => isDirty));
      await desk.ui.page.keyboard.press('Control+s');
      await until('the save', () => tabs().every(({ isDirty }) => !isDirty));
      assert.equal(proposalTabs().length, 1);
      await accept();
      assert.match((await answer)[1] ?? '', /x/);
    });

    it('keepOpenAfterAccept: not in front of what the user is in', async () => {
      await set('keepOpenAfterAccept', true);
      await openFile('typed in.txt');
      await desk.ui.page.locator('.editor-instance .view-lines').first().click();
      await desk.ui.page.keyboard.type('a');
      const inFront = () => vscode.window.activeTextEditor?.document.uri.path.split('/').at(-1);
      const first = await propose(desk.client, file, 'changed\n', 'A');
      await desk.ui.page.keyboard.press('Shift+Alt+K');
      await proposedSide().click();
      await desk.ui.page.keyboard.press('Control+Enter');
      await first.answer;
      await until(
        'the file, behind',
        () => tabs().find(({ label }) => label === 'hello.txt')?.isActive === false,
      );
      await until('what they were in before', () => inFront() === 'typed in.txt');
      await desk.ui.page.locator('.monaco-editor.focused').waitFor();
      await desk.ui.page.keyboard.type('b');
      await until('their key', () => vscode.window.activeTextEditor?.document.getText().includes('b'));
      const second = await propose(desk.client, desk.scratch.write('b.txt', 'b\n'), 'changed\n', 'B');
      assert.equal(inFront(), 'typed in.txt');
      await vscode.commands.executeCommand('ideBridge.acceptProposal', second.uri);
      await until(
        'the other, behind',
        () => tabs().find(({ label }) => label === 'b.txt')?.isActive === false,
      );
      assert.equal(inFront(), 'typed in.txt', 'which they have not left');
    });

    it('keepOpenAfterAccept: the file is left open, a new one once it is written', async () => {
      await set('keepOpenAfterAccept', true);
      const first = await propose(desk.client, file, 'changed\n', 'A');
      await accept();
      await first.answer;
      await until('the file', () => tabs().some(({ label }) => label === 'hello.txt'));
      const second = await propose(desk.client, desk.scratch.path('new.txt'), 'new\n', 'B');
      await accept();
      await second.answer;
      desk.scratch.write('new.txt', 'new\n');
      await until('the new file', () => tabs().some(({ label }) => label === 'new.txt'));
    });
  });
});
