import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findLocks, IdeClient } from '../support/ideClient.ts';
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
    await page.getByLabel('Sharing with Claude Code is off.').first().waitFor();
    assert.ok(!existsSync(mark));
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget:visible input').fill('>IDE Bridge: Doctor');
    await page.getByRole('option', { name: /^IDE Bridge: Doctor(,|$)/ }).click();
    await until('the page', () => inWebview({ page }, 'li', 'so the bridge is off'), 15_000);
    assert.ok(await inWebview({ page }, 'a', 'Manage Workspace Trust'));
    assert.ok(!existsSync(mark));
  });
});
