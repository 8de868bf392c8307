import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openWorkbench, type Workbench } from '../host/workbench.ts';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { EditorWindow } from './editorWindow.ts';

describe('Restricted Mode', function () {
  this.timeout(180_000);
  let root: string;
  let workbench: Workbench | undefined;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'ide-bridge-e2e-')));
  });
  afterEach(async () => {
    await workbench?.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  it('has no bridge, so no tool runs, until the user trusts the workspace', async () => {
    const extension =
      process.env.IDE_BRIDGE_E2E_EXTENSION ?? assert.fail('started without `npm run test:cli`');
    const isPackaged = extension.endsWith('.vsix');
    const folder = path.join(root, 'workspace');
    const configDir = path.join(root, 'config');
    await mkdir(folder);
    workbench = await openWorkbench({
      folder,
      dataDir: path.join(root, 'vscode'),
      vsix: isPackaged ? [extension] : [],
      extensionDevelopmentPaths: isPackaged ? [] : [extension],
      env: { CLAUDE_CONFIG_DIR: configDir },
      settings: { 'security.workspace.trust.startupPrompt': 'always' },
      workspaceTrust: true,
    });
    const { page } = workbench;
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
