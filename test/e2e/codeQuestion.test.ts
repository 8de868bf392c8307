import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { extensionHost } from '../host/processes.ts';
import { ipynb } from '../integration/notebooks/ipynb.ts';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { EditorWindow } from './editorWindow.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('code that waits for consent', function () {
  this.timeout(180_000);
  const own = useOwnWindow();

  it('is neither in the notebook nor on the screen after a crash of the extension host, with auto-save on', async () => {
    const folder = path.join(own.root, 'workspace');
    const configDir = path.join(own.root, 'config');
    const notebook = path.join(folder, 'analysis.ipynb');
    await mkdir(folder);
    await writeFile(notebook, ipynb(['x = 20']));
    const { page, serverPid } = await own.open({
      folder,
      env: { CLAUDE_CONFIG_DIR: configDir },
      settings: { 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 100 },
    });
    const connect = () =>
      until(
        'the bridge',
        async () => {
          const [lock] = findLocks(configDir);
          return lock && IdeClient.connect({ port: lock.port, token: lock.authToken }).catch(() => undefined);
        },
        60_000,
      );
    const client = await connect();
    await new EditorWindow(page).openFile('analysis.ipynb');
    const cells = page.locator('.notebookOverlay .view-line');
    await cells.filter({ hasText: 'x = 20' }).waitFor();
    client.start('tools/call', { name: 'executeCode', arguments: { code: 'proposed()' } });
    await page.getByText(/wants to run (this )?code in/).waitFor();

    process.kill(extensionHost(serverPid), 'SIGKILL');
    await client.closed;
    const back = await connect();
    assert.equal(await readFile(notebook, 'utf8'), ipynb(['x = 20']));
    await cells.filter({ hasText: 'x = 20' }).waitFor({ timeout: 60_000 });
    await until('its tab to go', async () => (await page.getByText('Run in analysis.ipynb?').count()) === 0);
    assert.equal(await page.getByText('proposed()').count(), 0);
    await back.close();
  });
});
