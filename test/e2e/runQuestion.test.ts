import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { findLocks } from '../support/ideClient.ts';
import { SdkTransport } from '../support/sdkTransport.ts';
import { until } from '../support/until.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('a question whether a task may run', function () {
  this.timeout(180_000);
  const own = useOwnWindow();

  it('is gone after a reload of the window: its client hears of it, and nothing has run', async () => {
    const folder = path.join(own.root, 'workspace');
    const configDir = path.join(own.root, 'config');
    const ran = path.join(own.root, 'ran.txt');
    await mkdir(path.join(folder, '.vscode'), { recursive: true });
    const tasks = [{ label: 'check', type: 'shell', command: `touch '${ran}'` }];
    await writeFile(path.join(folder, '.vscode', 'tasks.json'), JSON.stringify({ version: '2.0.0', tasks }));
    const { page } = await own.open({
      folder,
      env: { CLAUDE_CONFIG_DIR: configDir },
      settings: { 'ideBridge.editorTools.enabled': true, 'ideBridge.editorTools.running': true },
    });
    const connect = async () => {
      const { port, authToken } = await until('the lock file', () => findLocks(configDir)[0], 30_000);
      const client = new Client({ name: 'sdk', version: '1.0.0' });
      await client.connect(new SdkTransport(port, authToken, '/editor'));
      return client;
    };
    const run = (client: Client) => client.callTool({ name: 'runTask', arguments: { name: 'check' } });
    const tab = page.locator('.tab', { hasText: 'Run task check?' });
    const answer = page.locator('.codelens-decoration a', { hasText: 'Run Once' });

    const client = await connect();
    const running = assert.rejects(run(client), /closed/i);
    await answer.waitFor();
    await page.reload();
    await running;
    const again = await until('the bridge', () => connect().catch(() => undefined), 30_000);
    await tab.waitFor({ state: 'detached' });
    assert.ok(!existsSync(ran));

    const asked = run(again);
    await answer.waitFor();
    assert.equal(await tab.count(), 1, 'the new one only');
    await answer.click({ delay: 50 });
    await asked.catch(() => {});
    await until('it to have run', () => existsSync(ran));
    await again.close();
  });
});
