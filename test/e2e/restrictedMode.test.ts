import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { EditorWindow } from './editorWindow.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('Restricted Mode', function () {
  this.timeout(180_000);
  const own = useOwnWindow();

  it('has no bridge, so no tool runs, until the user trusts the workspace', async () => {
    const folder = path.join(own.root, 'workspace');
    const configDir = path.join(own.root, 'config');
    await mkdir(folder);
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

    await page.locator('.statusbar-item').filter({ hasText: 'Restricted Mode' }).click();
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    const { port, authToken } = await until('the lock file', () => findLocks(configDir)[0], 20_000);
    const client = await IdeClient.connect({ port, token: authToken });
    const { folders } = await client.callForJson<{ folders: { path: string }[] }>('getWorkspaceFolders');
    assert.deepEqual(
      folders.map((each) => each.path),
      [folder],
    );
    await client.close();
  });
});
