import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isListening } from '../../src/server/processes.ts';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { createCliHome } from './cliHome.ts';
import { EditorWindow } from './editorWindow.ts';
import { extensionUnderTest } from './extensionUnderTest.ts';
import { Terminal } from './terminal.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('The extension, disabled and uninstalled in the Extensions view', function () {
  this.timeout(240_000);
  const own = useOwnWindow();

  it('leaves no lock file, port or variable of terminals behind, and no diff once it is enabled again', async function () {
    if (extensionUnderTest().vsix.length === 0) this.skip(); // what is under development is not installed
    const folder = path.join(own.root, 'workspace');
    const file = path.join(folder, 'a.txt');
    await mkdir(folder);
    await writeFile(file, 'one\n');
    const { configDir, env } = await createCliHome(path.join(own.root, 'home'), folder);
    const { page } = await own.open({ folder, env });
    const window = new EditorWindow(page);
    const button = (name: string) =>
      page.locator('.extension-editor .action-label:visible').getByText(name, { exact: true }).first();
    const isStarted = () => page.locator('[id="status.problems"]').waitFor({ timeout: 60_000 });

    async function press(action: string): Promise<void> {
      await window.runCommand('Extensions: Show Installed Extensions');
      await page.locator('.extensions-viewlet .extension-list-item', { hasText: 'IDE Bridge' }).click();
      await button(action).click();
    }

    /** The extension runs until the window is loaded again: then nothing of it is left, and its client is alone. */
    async function goesBy(action: string): Promise<void> {
      const { port, authToken } = await until('the lock file', () => findLocks(configDir)[0], 30_000);
      const client = await IdeClient.connect({ port, token: authToken });
      const proposal = {
        old_file_path: file,
        new_file_path: file,
        new_file_contents: 'two\n',
        tab_name: 'a',
      };
      client.start('tools/call', { name: 'openDiff', arguments: proposal });
      await window.diffOf('a.txt');
      await press(action);
      await button('Reload Window').waitFor();
      await client.call('getWorkspaceFolders');
      await Promise.all([page.waitForEvent('domcontentloaded'), button('Reload Window').click()]);
      await client.closed;
      await until('the lock file to go', () => findLocks(configDir).length === 0);
      await until('the port to close', async () => !(await isListening(port)));
      await isStarted();
    }

    await isStarted();
    await goesBy('Disable');
    await press('Enable');
    const labels = () => window.tabLabels();
    const isLeft = (label: string) => label.startsWith('a.txt');
    await until('the diff to go', async () => !(await labels()).some(isLeft), 20_000, labels);

    await goesBy('Uninstall');
    const terminal = await Terminal.open(window, 0, path.join(own.root, 'shell'));
    assert.equal(terminal.bridgePort, '');
  });
});
