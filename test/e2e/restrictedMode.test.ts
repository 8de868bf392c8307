import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Page } from 'playwright-core';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { SdkTransport } from '../support/sdkTransport.ts';
import { inWebview } from '../support/ui.ts';
import { until } from '../support/until.ts';
import { EditorWindow } from './editorWindow.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('Restricted Mode', function () {
  this.timeout(180_000);
  const own = useOwnWindow();

  it('has no bridge, so no tool runs, until the user trusts the workspace, whose patterns count then', async () => {
    const folder = path.join(own.root, 'workspace');
    const configDir = path.join(own.root, 'config');
    await mkdir(path.join(folder, '.vscode'), { recursive: true });
    const settings = JSON.stringify({ 'ideBridge.share.exclude': ['secret.txt'] });
    await writeFile(path.join(folder, '.vscode', 'settings.json'), settings);
    const [secret, plain] = ['secret.txt', 'plain.txt'].map((name) => path.join(folder, name));
    assert.ok(secret && plain);
    await writeFile(secret, 'text');
    await writeFile(plain, 'text');
    const { page } = await own.open({
      folder,
      env: { CLAUDE_CONFIG_DIR: configDir },
      settings: { 'security.workspace.trust.startupPrompt': 'always' },
      workspaceTrust: true,
    });
    const window = new EditorWindow(page);
    const answer = (name: RegExp) => page.locator('.monaco-dialog-box').getByRole('button', { name }).click();

    await answer(/^No/);
    await window.runCommand('IDE Bridge: Restart Bridge');
    await page.getByText('The bridge stays off in Restricted Mode.').first().waitFor();
    assert.deepEqual(findLocks(configDir), []);
    await window.runCommand('IDE Bridge: Open Claude Code in the Panel');
    const manage = page
      .locator('.notification-toast', { hasText: 'Claude Code does not run in Restricted Mode.' })
      .getByRole('button', { name: 'Manage Workspace Trust' });
    await manage.waitFor();
    await page.locator('[id$="ideBridge.status"]').click();
    const first = page.locator('.quick-input-widget:visible .monaco-list-row').first();
    await first.filter({ hasText: 'Manage Workspace Trust' }).waitFor();
    await page.keyboard.press('Escape');

    await manage.click();
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    const { port, authToken } = await until('the lock file', () => findLocks(configDir)[0], 20_000);
    const client = await IdeClient.connect({ port, token: authToken });
    const { folders } = await client.callForJson<{ folders: { path: string }[] }>('getWorkspaceFolders');
    assert.deepEqual(
      folders.map((each) => each.path),
      [folder],
    );

    // From now on the patterns of the workspace count.
    await client.call('openFile', { filePath: secret });
    await client.call('openFile', { filePath: plain });
    const { tabs } = await client.callForJson<{ tabs: { label: string }[] }>('getOpenEditors');
    assert.deepEqual(
      tabs.map(({ label }) => label),
      ['plain.txt'],
    );
    await client.close();
  });

  it('has no editor tools that run or debug, though the user has them on, until the workspace is trusted', async () => {
    const folder = path.join(own.root, 'workspace');
    const configDir = path.join(own.root, 'config');
    const ran = path.join(own.root, 'ran.txt');
    await mkdir(path.join(folder, '.vscode'), { recursive: true });
    const tasks = [{ label: 'evil', type: 'shell', command: `touch '${ran}'` }];
    await writeFile(path.join(folder, '.vscode', 'tasks.json'), JSON.stringify({ version: '2.0.0', tasks }));
    const { page } = await own.open({
      folder,
      env: { CLAUDE_CONFIG_DIR: configDir },
      settings: {
        'security.workspace.trust.startupPrompt': 'never',
        'ideBridge.editorTools.enabled': true,
        'ideBridge.editorTools.running': true,
        'ideBridge.editorTools.debugging': true,
      },
      workspaceTrust: true,
    });
    const window = new EditorWindow(page);
    await window.runCommand('IDE Bridge: Copy MCP Configuration');
    const toast = page.locator('.notification-toast', { hasText: 'stays off in Restricted Mode.' });
    await toast.waitFor();
    assert.deepEqual(findLocks(configDir), [], 'nobody can find it');

    await toast.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    const { port, authToken } = await until('the lock file', () => findLocks(configDir)[0], 20_000);
    const client = new Client({ name: 'sdk', version: '1.0.0' });
    await client.connect(new SdkTransport(port, authToken, '/editor'));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.ok(names.includes('runTask') && names.includes('startDebugging'), names.join());
    assert.ok(!existsSync(ran));
    await client.close();
  });

  describe('takes the user, when they have given trust by a button of ours,', () => {
    let page: Page;
    const configDir = () => path.join(own.root, 'config');
    const heard = () => path.join(own.root, 'heard.txt');
    const port = () => path.join(own.root, 'port.txt');
    const lines = () => page.locator('.editor-instance .view-lines').first();

    beforeEach(async () => {
      const folder = path.join(own.root, 'workspace');
      const command = path.join(own.root, 'fake-claude');
      await mkdir(folder);
      await writeFile(path.join(folder, 'notes.txt'), '');
      const script = `echo $CLAUDE_CODE_SSE_PORT > "${port()}"; stty raw -echo; exec cat > "${heard()}"`;
      await writeFile(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const options = {
        folder,
        env: { CLAUDE_CONFIG_DIR: configDir(), SHELL: '/bin/bash' },
        settings: { 'ideBridge.command': command, 'security.workspace.trust.startupPrompt': 'never' },
        workspaceTrust: true,
      };
      ({ page } = await own.open(options));
      await new EditorWindow(page).openFile(path.join(folder, 'notes.txt'));
      await lines().click();
    });

    const trust = () => page.getByRole('button', { name: 'Trust', exact: true }).click();

    it('back to the file', async () => {
      await page.locator('[id$="ideBridge.status"]').click();
      await page.locator('.quick-input-widget:visible .monaco-list-row').first().click();
      await trust();
      await page.locator('.monaco-editor.focused').waitFor();
      await page.keyboard.type('mine');
      await lines().getByText('mine').waitFor();
      await until('the lock file', () => findLocks(configDir())[0], 20_000);
      assert.ok(!existsSync(heard()));
    });

    it('on to Claude Code, for which they had asked, once the bridge is there', async () => {
      await page.keyboard.press('Control+Escape');
      await page.getByRole('button', { name: 'Manage Workspace Trust' }).click();
      await trust();
      await until('the CLI', () => existsSync(heard()), 20_000);
      await page.locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });
      await page.keyboard.type('mine');
      await until('the words', async () => (await readFile(heard(), 'utf8')) === 'mine');
      assert.equal(await readFile(port(), 'utf8'), `${findLocks(configDir())[0]?.port}\n`);
    });

    it('on to Claude Code from a mention, by that button alone', async () => {
      await page.keyboard.press('Alt+k');
      await page.getByRole('button', { name: 'Manage Workspace Trust' }).click();
      await trust();
      await until('the CLI', () => existsSync(heard()), 20_000);
    });
  });

  it('runs no program that the folder names, and reads none of its settings of the CLI', async () => {
    const folder = path.join(own.root, 'workspace');
    const mark = path.join(own.root, 'mark');
    const fsmonitor = path.join(own.root, 'fsmonitor');
    await writeFile(fsmonitor, `#!/bin/sh\ntouch "${mark}"\n`, { mode: 0o755 });
    await mkdir(path.join(folder, '.vscode'), { recursive: true });
    await mkdir(path.join(folder, '.claude'));
    const settings = JSON.stringify({ 'ideBridge.share.excludeGitIgnored': true });
    await writeFile(path.join(folder, '.vscode', 'settings.json'), settings);
    await symlink('/dev/zero', path.join(folder, '.claude', 'settings.json'));
    await writeFile(path.join(folder, 'a.txt'), 'text\n');
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    execFileSync('git', ['config', 'core.fsmonitor', fsmonitor], { cwd: folder });
    const { page } = await own.open({
      folder,
      settings: { 'security.workspace.trust.startupPrompt': 'never' },
      workspaceTrust: true,
    });
    const window = new EditorWindow(page);
    await window.openFile(path.join(folder, 'a.txt'));
    await page.getByLabel('Sharing with Claude Code is off in Restricted Mode.').first().waitFor();
    assert.ok(!existsSync(mark));
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget:visible input').fill('>IDE Bridge: Doctor');
    await page.getByRole('option', { name: /^IDE Bridge: Doctor(,|$)/ }).click();
    await until('the page', () => inWebview({ page }, 'li', 'so the bridge is off'), 15_000);
    assert.ok(await inWebview({ page }, 'a', 'Manage Workspace Trust'));
    assert.ok(!(await inWebview({ page }, 'li', 'finds this window')));
    assert.ok(!existsSync(mark));
  });
});
