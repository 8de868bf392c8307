import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '../../src/server/processes.ts';
import { childrenOf, commandOf, extensionHost } from '../host/processes.ts';
import { until } from '../support/until.ts';
import { createCliHome } from './cliHome.ts';
import { contextText, MockApi, text, toolUse } from './mockApi.ts';
import { cliVersions, ensureCli } from './provisionCli.ts';
import { useOwnWindow } from './useOwnWindow.ts';

/** Typed, they would now and then be taken for the suggestion that is on the screen. */
const prompts = { 'Control+Alt+F2': 'remember the plum', 'Control+Alt+F3': 'what was it?' };

describe('a turn of the chat', function () {
  this.timeout(180_000);
  const own = useOwnWindow();
  let api: MockApi;

  beforeEach(async () => {
    api = await MockApi.start();
  });
  afterEach(() => api.close());

  it('that a crash of the extension host ends leaves no process, and its thread goes on with the conversation', async () => {
    const folder = path.join(own.root, 'workspace');
    await mkdir(folder);
    const { env } = await createCliHome(own.root, folder);
    const { page, serverPid } = await own.open({
      folder,
      env: { CLAUDE_CONFIG_DIR: env['CLAUDE_CONFIG_DIR'] },
      keybindings: Object.entries(prompts).map(([key, words]) => ({
        key: key.replace('Control', 'ctrl').toLowerCase(),
        command: 'workbench.action.chat.open',
        args: { query: `@claude ${words}` },
      })),
      settings: {
        'chat.disableAIFeatures': false,
        'ideBridge.command': path.join(await ensureCli(cliVersions.newest), 'claude'),
        'ideBridge.environment': { ...env, ANTHROPIC_BASE_URL: api.url },
      },
    });
    const answer = page.locator('.interactive-response').last();
    const engines = () =>
      childrenOf(extensionHost(serverPid)).filter((pid) => commandOf(pid).includes('stream-json'));

    // Before that the editor takes a prompt for one of Copilot's.
    await page.locator('.statusbar-item[id*="ideBridge.status"]', { hasText: 'Claude' }).waitFor();
    api.script([toolUse('Bash', { command: 'echo > begun; tail -f /dev/null' })]);
    await page.keyboard.press('Control+Alt+F2');
    await answer.locator('.monaco-button', { hasText: 'Allow' }).first().click({ timeout: 60_000 });
    await until('the command', () => existsSync(path.join(folder, 'begun')), 30_000);
    const [engine = 0] = engines();
    assert.ok(isAlive(engine));

    process.kill(extensionHost(serverPid), 'SIGKILL');
    await until('its end', () => !isAlive(engine), 10_000);

    const before = await page.locator('.interactive-response').count();
    api.script([text('The plum.')]);
    await page.keyboard.press('Control+Alt+F3');
    await until(
      'another answer',
      async () => (await page.locator('.interactive-response').count()) > before,
      60_000,
    );
    await answer.getByText('The plum.').waitFor({ timeout: 60_000 });
    const request = await api.nextRequest('the second prompt', (each) =>
      contextText(each).includes('what was it?'),
    );
    assert.match(contextText(request), /remember the plum[^]*what was it\?/);
  });
});
