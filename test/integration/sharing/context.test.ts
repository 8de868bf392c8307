import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import type { ActiveEditorChanged, AtMentioned, SelectionChanged } from '../../../src/protocol/ide.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { connectUi, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, prompt, Scratch } from '../bridge.ts';

describe('context', () => {
  let ui: Ui;
  let client: IdeClient;
  let scratch: Scratch;
  let file: string;

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  beforeEach(async () => {
    scratch = new Scratch();
    file = scratch.write('täst #1.txt', 'zero\none\ntwo\nthree\n');
    client = await connectClient();
    // As with the first prompt: from then on nothing is repeated.
    await client.call('closeAllDiffTabs', {});
  });
  afterEach(async () => {
    await client.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  async function open(path: string): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument(path);
    return vscode.window.showTextDocument(document, { preview: false });
  }

  const selections = () => client.notifications<SelectionChanged>('selection_changed');
  const selection = (what: string, matches: (last: SelectionChanged) => boolean) =>
    until(what, () => {
      const last = selections().at(-1);
      return last !== undefined && matches(last) ? last : undefined;
    });

  describe('selection_changed', () => {
    it('tells the open file, then what is selected in it', async () => {
      const editor = await open(file);
      const opened = await selection('the file', ({ filePath }) => filePath === file);
      assert.deepEqual(opened, {
        text: '',
        filePath: file,
        fileUrl: `file://${file}`,
        selection: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, isEmpty: true },
      });
      editor.selection = new vscode.Selection(1, 0, 2, 2);
      const selected = await selection('the selection', ({ text }) => text !== '');
      assert.equal(selected.text, 'one\ntw');
      assert.deepEqual(selected.selection, {
        start: { line: 1, character: 0 },
        end: { line: 2, character: 2 },
        isEmpty: false,
      });
    });

    it('is sent to a client that connects later', async () => {
      const editor = await open(file);
      editor.selection = new vscode.Selection(0, 0, 0, 4);
      await selection('the selection', ({ text }) => text === 'zero');
      const late = await connectClient();
      await until(
        'the selection',
        () => late.notifications<SelectionChanged>('selection_changed').at(-1)?.text === 'zero',
      );
      await late.close();
    });

    it('comes once for a burst of changes, with the last of them', async () => {
      const editor = await open(file);
      await selection('the file', ({ filePath }) => filePath === file);
      const before = selections().length;
      for (let i = 0; i < 40; i++) {
        editor.selection = new vscode.Selection(0, 0, 0, i % 5);
      }
      editor.selection = new vscode.Selection(3, 0, 3, 5);
      await selection('the last', ({ text }) => text === 'three');
      assert.ok(selections().length - before <= 3, `${selections().length - before} messages`);
    });

    it('stays while the focus is in a terminal, and is cleared when the file is closed', async () => {
      const editor = await open(file);
      editor.selection = new vscode.Selection(1, 0, 1, 3);
      await selection('the selection', ({ text }) => text === 'one');
      const terminal = vscode.window.createTerminal({ name: 't', location: vscode.TerminalLocation.Editor });
      terminal.show();
      await until('no active text editor', () => vscode.window.activeTextEditor === undefined);
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(selections().at(-1)?.text, 'one');
      terminal.dispose();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      const cleared = await selection('nothing', ({ filePath }) => filePath === '');
      assert.equal(cleared.text, '');
    });

    it('never speaks of the proposed side of a diff', async () => {
      await open(file);
      await selection('the file', ({ filePath }) => filePath === file);
      const args = { old_file_path: file, new_file_path: file, new_file_contents: 'ONE\n', tab_name: 'T' };
      await prompt(client);
      void client.call('openDiff', args);
      await ui.page.locator('.editor.modified .view-lines').first().click();
      await ui.page.keyboard.press('Control+a');
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.ok(
        selections().every(({ text, fileUrl }) => text !== 'ONE\n' && !fileUrl.startsWith('ide-bridge')),
      );
      await client.callForTexts('closeAllDiffTabs');
    });

    it('cuts a very long text, and not in the middle of a character', async () => {
      const editor = await open(scratch.write('long.txt', `x${'😀'.repeat(20_000)}`));
      await vscode.commands.executeCommand('editor.action.selectAll');
      const { text } = await selection('the text', ({ text }) => text !== '');
      assert.ok(editor.selection.end.character > 40_000);
      assert.equal(text, `x${'😀'.repeat(4_999)}`);
    });
  });

  it('what shows no text is told too: a picture, and a notebook between its cells', async () => {
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const picture = scratch.path('dot.png');
    writeFileSync(picture, Buffer.from(pixel, 'base64'));
    const cell = { cell_type: 'markdown', metadata: {}, source: ['# a'] };
    const ipynb = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 };
    const notebook = scratch.write('a.ipynb', JSON.stringify(ipynb));
    const told = () => client.notifications<ActiveEditorChanged>('workspace/didChangeActiveEditor').at(-1);
    for (const path of [picture, file, notebook, picture]) {
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path));
      await until(path, () => told()?.filePath === path && selections().at(-1)?.filePath === path);
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await until('nothing', () => told()?.filePath === '' && selections().at(-1)?.filePath === '');
  });

  it('a mention by Alt+K in a text that is no file names no other file', async () => {
    await open(file);
    await selection('the file', ({ filePath }) => filePath === file);
    await vscode.commands.executeCommand('ideBridge.showMessages');
    await until('the page', () => vscode.window.activeTextEditor?.document.languageId === 'log');
    await vscode.commands.executeCommand('ideBridge.mention');
    await ui.page.locator('.notification-toast', { hasText: 'saved files and folders only' }).waitFor();
    assert.equal(client.notifications('at_mentioned').length, 0);
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  it('a mention is of the tab in front, also where no text editor shows it, and of none if that is no file', async () => {
    const mentions = () => client.notifications<AtMentioned>('at_mentioned').map(({ filePath }) => filePath);
    await open(scratch.write('notes.md', '# a\n'));
    const binary = scratch.path('a.bin');
    writeFileSync(binary, Buffer.from([0, 1, 2, 0, 255, 0]));
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(binary));
    await until('no text', () => vscode.window.activeTextEditor === undefined);
    await vscode.commands.executeCommand('ideBridge.mention');
    assert.deepEqual(mentions(), [binary]);
    await until(
      'the CLI to be told',
      () => client.notifications<SelectionChanged>('selection_changed').at(-1)?.filePath === binary,
    );
    await vscode.commands.executeCommand('workbench.action.openSettings2');
    await ui.page.locator('.settings-editor').waitFor();
    await until('the settings', () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === 'Settings');
    await vscode.commands.executeCommand('ideBridge.mention');
    await ui.page.locator('.notification-toast', { hasText: 'saved files and folders only' }).waitFor();
    assert.deepEqual(mentions(), [binary]);
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  it('workspace/didChangeActiveEditor tells path, language and selection, and when none is left', async () => {
    const told = () => client.notifications<ActiveEditorChanged>('workspace/didChangeActiveEditor');
    const at = { line: 0, character: 0 };
    await open(scratch.write('code.ts', 'let a;\n'));
    const { filePath } = await until('the file', () =>
      told().find(({ languageId }) => languageId === 'typescript'),
    );
    assert.equal(filePath, scratch.path('code.ts'));
    const code = { filePath, fileUrl: `file://${filePath}`, languageId: 'typescript' };
    assert.deepEqual(told().at(-1), { ...code, selection: { start: at, end: at } });
    await open(scratch.write('notes.md', '# a\n'));
    await until('the other file', () => told().at(-1)?.languageId === 'markdown');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await until('the first file again', () => told().at(-1)?.languageId === 'typescript');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await until('none', () => told().at(-1)?.filePath === '');
  });

  describe('at_mentioned', () => {
    const mentions = () => client.notifications<AtMentioned>('at_mentioned');

    it('names the selected lines, on Alt+K', async () => {
      await open(file);
      await ui.page.locator('.editor-instance .view-lines').first().click();
      // From the second character of the second line to before the first of the fourth.
      for (const key of [
        'Control+Home',
        'ArrowDown',
        'ArrowRight',
        'Shift+ArrowDown',
        'Shift+ArrowDown',
        'Shift+ArrowLeft',
        'Alt+k',
      ]) {
        await ui.page.keyboard.press(key);
      }
      const mention = await until('the mention', () => mentions()[0]);
      assert.deepEqual(mention, { filePath: `"${file}#L2-3"` });
    });

    it('names the lines of each selection', async () => {
      const path = scratch.write('many.txt', 'a\nb\nc\nd\n');
      const editor = await open(path);
      editor.selections = [
        new vscode.Selection(3, 0, 3, 1),
        new vscode.Selection(2, 0, 2, 0),
        new vscode.Selection(0, 0, 1, 1),
      ];
      await vscode.commands.executeCommand('ideBridge.mention');
      await until('both', () => mentions().length === 2);
      assert.deepEqual(mentions(), [
        { filePath: path, lineStart: 3, lineEnd: 3 },
        { filePath: path, lineStart: 0, lineEnd: 1 },
      ]);
    });

    it('names the file when nothing is selected', async () => {
      await open(file);
      await vscode.commands.executeCommand('ideBridge.mention');
      assert.deepEqual(await until('the mention', () => mentions()[0]), { filePath: `"${file}"` });
    });

    it('goes to the session that was used last', async () => {
      const other = await connectClient();
      await client.callForTexts('closeAllDiffTabs');
      await new Promise((resolve) => setTimeout(resolve, 5));
      await other.callForTexts('closeAllDiffTabs');
      await open(file);
      await vscode.commands.executeCommand('ideBridge.mention');
      await until('the mention', () => other.notifications('at_mentioned').length === 1);
      assert.equal(mentions().length, 0);
      await other.close();
    });
  });

  it('without a client, a mention offers to run one, and waits for it', async () => {
    await client.close();
    await open(file);
    void vscode.commands.executeCommand('ideBridge.mention');
    await ui.page.getByText('No Claude Code session is connected.').first().waitFor();
    await vscode.commands.executeCommand('notifications.clearAll');
    const late = await connectClient(); // of which there are no records
    await ui.page
      .locator('.notification-toast', { hasText: 'waits for the prompt of' })
      .getByRole('button', { name: 'Send Now' })
      .click();
    await until('the mention', () => late.notifications('at_mentioned').length === 1);
    await late.close();
  });
});
