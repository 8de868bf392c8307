import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { childrenOf } from '../host/processes.ts';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { RecordedCli } from '../support/recordedCli.ts';
import { until } from '../support/until.ts';
import { createCliHome } from './cliHome.ts';
import { EditorWindow } from './editorWindow.ts';
import { extensionUnderTest } from './extensionUnderTest.ts';
import { Terminal } from './terminal.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('A CLI that is cut off', function () {
  this.timeout(240_000);
  const own = useOwnWindow();

  it('is shown as coming back, as asking once it is, and as one to reconnect after the extension was off', async function () {
    if (extensionUnderTest().vsix.length === 0) this.skip(); // what is under development is not installed
    const folder = path.join(own.root, 'workspace');
    const file = path.join(folder, 'a.txt');
    await mkdir(folder);
    await writeFile(file, 'one\n');
    const { configDir, env } = await createCliHome(path.join(own.root, 'home'), folder);
    const { page } = await own.open({ folder, env });
    const window = new EditorWindow(page);
    const row = (words: string) => page.locator('.pane .monaco-list-row', { hasText: words });
    const status = page.locator('.statusbar-item[id*="ideBridge.status"]');
    const tells = async (words: string) => {
      await status.hover();
      await page.locator('.monaco-hover', { hasText: words }).waitFor();
      await page.screenshot({ path: path.resolve('out/e2e', `${words.replace(/\W+/g, '-')}.png`) });
    };
    const firstOfMenu = async (words: string) => {
      await status.click();
      await page.locator('.quick-input-widget .monaco-list-row').first().filter({ hasText: words }).click();
    };
    const isStarted = () => page.locator('[id="status.problems"]').waitFor({ timeout: 60_000 });
    const connect = async (pid: number) => {
      const { port, authToken } = await until('the lock file', () => findLocks(configDir)[0], 30_000);
      return IdeClient.connect({ port, token: authToken, pid });
    };

    await isStarted();
    await mkdir(path.resolve('out/e2e'), { recursive: true });
    const terminal = await Terminal.open(window, 0, path.join(own.root, 'shell'));
    await terminal.run('sleep 900');
    const pid = await until('its process', () => childrenOf(terminal.shellPid)[0]);
    const recorded = new RecordedCli(configDir, folder, pid);
    recorded.is('idle');
    const first = await connect(pid);
    await window.runCommand('Claude Code: Focus on Sessions View');
    await row('Idle').filter({ hasText: 'bash' }).waitFor();
    recorded.call('Edit', { file_path: file });
    const proposal = { old_file_path: file, new_file_path: file, new_file_contents: 'two\n', tab_name: 'a' };
    first.start('tools/call', { name: 'openDiff', arguments: proposal });
    recorded.is('waiting', 'permission prompt');
    await row('Proposal open').waitFor();

    await page.reload();
    await isStarted();
    await row('Coming back…').filter({ hasText: 'bash' }).waitFor();
    await tells('bash: Coming back…');
    const second = await connect(pid);
    await row('Asks: Edit: a.txt').filter({ hasText: 'bash' }).waitFor();
    await status.filter({ hasText: 'Claude: 1 asks' }).waitFor();
    await firstOfMenu('Show bash');
    await page.locator('.terminal-wrapper .xterm.focus').waitFor();
    recorded.is('idle');
    await row('Idle').filter({ hasText: 'bash' }).waitFor();

    await extension('Disable');
    await page.locator('.extension-editor .action-label:visible').getByText('Reload Window').first().click();
    await second.closed;
    await isStarted();
    await extension('Enable');
    await window.runCommand('Claude Code: Focus on Sessions View');
    await row('Not connected: type /ide to it').filter({ hasText: 'bash' }).waitFor({ timeout: 40_000 });
    await status.locator('.codicon-debug-disconnect').waitFor();
    await tells('bash: Not connected: type /ide to it');
    await firstOfMenu('Reconnect bash');
    await page.locator('.notification-toast', { hasText: 'Type /ide' }).waitFor();
    await page.locator('.terminal-wrapper .xterm.focus').waitFor();
    const third = await connect(pid);
    await row('Idle').filter({ hasText: 'bash' }).waitFor();
    await row('Not connected').waitFor({ state: 'detached' });
    await status.locator('.codicon-check').waitFor();
    await third.close();

    async function extension(action: string): Promise<void> {
      await window.runCommand('Extensions: Show Installed Extensions');
      await page.locator('.extensions-viewlet .extension-list-item', { hasText: 'IDE Bridge' }).click();
      const button = page.locator('.extension-editor .action-label:visible');
      await button.getByText(action, { exact: true }).first().click();
    }
  });
});
