import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { testEnvironment } from '../support/testEnvironment.ts';
import { connectUi, type Ui } from '../support/ui.ts';
import { until } from '../support/until.ts';

describe('test host', () => {
  let ui: Ui;
  before(async () => (ui = await connectUi()));
  after(() => ui.close());
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('activates the extension', async () => {
    const extension = vscode.extensions.getExtension('ide-bridge.ide-bridge-for-claude-code');
    assert.ok(extension);
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('is the oldest allowed VS Code in a floor run', function () {
    if (!process.env[testEnvironment.floor]) this.skip();
    const manifest = vscode.extensions.getExtension('ide-bridge.ide-bridge-for-claude-code')?.packageJSON as {
      engines: { vscode: string };
    };
    const minor = (version: string) => version.replace('^', '').split('.').slice(0, 2).join('.');
    assert.equal(minor(vscode.version), minor(manifest.engines.vscode));
  });

  it('works on a copy of the fixture workspace', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    assert.equal(path.basename(folder.uri.fsPath), 'workspace');
    assert.ok(!folder.uri.fsPath.includes(path.join('test', 'fixtures')));
  });

  it('types into an editor', async () => {
    const document = await vscode.workspace.openTextDocument({ content: '' });
    await vscode.window.showTextDocument(document);
    await ui.page.locator('.editor-instance .monaco-editor').first().click();
    await ui.page.keyboard.type('typed by a test');
    await until('the text is in the document', () => document.getText() === 'typed by a test');
    await vscode.commands.executeCommand('undo');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('runs a command in a real terminal', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ide-bridge-terminal-'));
    const terminal = vscode.window.createTerminal({ name: 'echo', cwd: folder });
    try {
      terminal.show();
      terminal.sendText('echo "answer $((6 * 7))" | tee answer.txt');
      const read = () => readFile(path.join(folder, 'answer.txt'), 'utf8').catch(() => '');
      await until('the command has run', async () => (await read()) === 'answer 42\n');
      await ui.page.locator('.xterm-rows', { hasText: 'answer 42' }).waitFor();
    } finally {
      terminal.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
