import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { isAlive } from '../../src/server/processes.ts';
import { childrenOf, commandOf, extensionHost } from '../host/processes.ts';
import type { Workbench } from '../host/workbench.ts';
import { until } from '../support/until.ts';
import { createCliHome } from './cliHome.ts';
import { contextText, editTurns, MockApi, text, toolUse } from './mockApi.ts';
import { cliVersions, ensureCli } from './provisionCli.ts';
import { useOwnWindow } from './useOwnWindow.ts';

/** Typed, they would now and then be taken for the suggestion that is on the screen. */
const prompts = {
  'Control+Alt+F2': 'remember the plum',
  'Control+Alt+F3': 'what was it?',
  'Control+Alt+F4': '/resume',
};

describe('a turn of the chat', function () {
  this.timeout(180_000);
  const own = useOwnWindow();
  let api: MockApi;

  beforeEach(async () => {
    api = await MockApi.start();
  });
  afterEach(() => api.close());

  async function claude(): Promise<string> {
    return path.join(await ensureCli(cliVersions.newest), 'claude');
  }

  /** A window with that folder, whose chat has a CLI to ask. */
  async function openChat(folder: string): Promise<Workbench> {
    const { env } = await createCliHome(own.root, folder);
    const workbench = await own.open({
      folder,
      env: { CLAUDE_CONFIG_DIR: env['CLAUDE_CONFIG_DIR'] },
      keybindings: Object.entries(prompts).map(([key, words]) => ({
        key: key.replace('Control', 'ctrl').toLowerCase(),
        command: 'workbench.action.chat.open',
        args: { query: `@claude ${words}` },
      })),
      settings: {
        'chat.disableAIFeatures': false,
        'ideBridge.command': await claude(),
        'ideBridge.environment': { ...env, ANTHROPIC_BASE_URL: api.url },
      },
    });
    await ready(workbench.page);
    return workbench;
  }

  /** Before that the editor takes a prompt for one of Copilot's. */
  async function ready(page: Page): Promise<void> {
    await page.locator('.statusbar-item[id*="ideBridge.status"]', { hasText: 'Claude' }).waitFor();
  }

  /** The first prompt of a window, or of its next extension host: it may be lost, as a participant of the chat is known to the window only some time after that. */
  async function begin(
    page: Page,
    key: keyof typeof prompts = 'Control+Alt+F2',
    sign = page.locator('.interactive-response .monaco-button', { hasText: /^Allow$/ }).first(),
  ): Promise<Locator> {
    await until(
      'the first answer',
      async () => {
        await page.keyboard.press(key);
        return sign.waitFor({ timeout: 30_000 }).then(
          () => true,
          () => false,
        );
      },
      90_000,
    );
    return sign;
  }

  function engines(serverPid: number): number[] {
    return childrenOf(extensionHost(serverPid)).filter((pid) => commandOf(pid).includes('stream-json'));
  }

  it('that a crash of the extension host ends leaves no process, and its thread goes on with the conversation', async () => {
    const folder = path.join(own.root, 'workspace');
    await mkdir(folder);
    const { page, serverPid } = await openChat(folder);
    const answer = page.locator('.interactive-response').last();

    api.script([toolUse('Bash', { command: 'echo > begun; tail -f /dev/null' })]);
    await (await begin(page)).click();
    await until('the command', () => existsSync(path.join(folder, 'begun')), 30_000);
    const [engine = 0] = engines(serverPid);
    assert.ok(isAlive(engine));

    process.kill(extensionHost(serverPid), 'SIGKILL');
    await until('its end', () => !isAlive(engine), 10_000);

    await ready(page);
    api.script([text('The plum.')]);
    await begin(page, 'Control+Alt+F3', answer.getByText('The plum.'));
    const request = await api.nextRequest('the second prompt', (each) =>
      contextText(each).includes('what was it?'),
    );
    assert.match(contextText(request), /remember the plum[^]*what was it\?/);
  });

  it('that waits for an answer of the user, by buttons or in a diff, is never answered after a crash or a reload', async () => {
    const folder = path.join(own.root, 'workspace');
    await mkdir(folder);
    const file = path.join(folder, 'fruit.txt');
    await writeFile(file, 'plum\n');
    const { page, serverPid } = await openChat(folder);
    const answer = page.locator('.interactive-response').last();

    api.script([toolUse('Bash', { command: 'touch made' })]);
    const allow = await begin(page);
    const [first = 0] = engines(serverPid);
    assert.ok(isAlive(first));
    process.kill(extensionHost(serverPid), 'SIGKILL');
    await until('the end of the first', () => !isAlive(first), 10_000);

    await ready(page);
    await allow.click(); // its question is no more
    api.script(editTurns(file, 'plum', 'pear'));
    await page.keyboard.press('Control+Alt+F3');
    const diff = page.locator('.tab', { hasText: 'fruit.txt' });
    await diff.waitFor({ timeout: 60_000 });
    const request = await api.nextRequest('the second prompt', (each) =>
      contextText(each).includes('what was it?'),
    );
    assert.match(contextText(request), /remember the plum[^]*what was it\?/);
    const [second = 0] = engines(serverPid);
    assert.ok(isAlive(second) && second !== first);
    await page.reload();
    await until('the end of the second', () => !isAlive(second), 10_000);

    await ready(page);
    await until('the diff to go', async () => (await diff.count()) === 0, 30_000);
    api.script([text('The plum.')]);
    await page.keyboard.press('Control+Alt+F3');
    await answer.getByText('The plum.').waitFor({ timeout: 60_000 });
    const last = await api.nextRequest('the third prompt', (each) =>
      contextText(each).includes('what was it?'),
    );
    assert.match(contextText(last), /remember the plum[^]*what was it\?/);
    assert.equal(await readFile(file, 'utf8'), 'plum\n');
    assert.ok(!existsSync(path.join(folder, 'made')));
  });

  it('whose edit was accepted leaves nothing to review after a reload', async () => {
    const folder = path.join(own.root, 'workspace');
    await mkdir(folder);
    const file = path.join(folder, 'fruit.txt');
    await writeFile(file, 'plum\n');
    const { page } = await openChat(folder);
    api.script([
      toolUse('Bash', { command: 'touch made' }),
      ...editTurns(file, 'plum', 'pear'),
      text('A pear.'),
    ]);
    await (await begin(page)).click();
    await page.locator('.tab', { hasText: 'fruit.txt' }).waitFor({ timeout: 60_000 });
    await page.locator('.codelens-decoration a', { hasText: 'Accept' }).first().click();
    await page.getByText('A pear.', { exact: true }).waitFor({ timeout: 60_000 });
    assert.equal(await readFile(file, 'utf8'), 'pear\n');
    const changed = page.locator('.statusbar-item', { hasText: /1 file, 1 change/ });
    assert.equal(await changed.count(), 0);
    await page.reload();
    await ready(page);
    await sleep(6_000); // what was written down meanwhile is looked for after 2 s
    assert.equal(await changed.count(), 0);
  });

  it('says in which folder its conversation was held once the window has lost that, and goes on there when it is back', async () => {
    const [one, two] = ['one', 'two'].map((name) => path.join(own.root, name)) as [string, string];
    await Promise.all([mkdir(one), mkdir(two)]);
    const file = path.join(own.root, 'several.code-workspace');
    const choose = async (...folders: string[]) => {
      await writeFile(`${file}.new`, JSON.stringify({ folders: folders.map((each) => ({ path: each })) }));
      await rename(`${file}.new`, file); // in one step: half of it would name no folder
    };
    const { env } = await createCliHome(own.root, two);
    api.script([text('I do.')]);
    // Not in the first folder: once that is another one, VS Code opens the window anew, now and then with the old ones.
    await promisify(execFile)(await claude(), ['-p', 'remember the plum'], {
      cwd: two,
      env: { ...process.env, ...env, ANTHROPIC_BASE_URL: api.url },
    });
    await choose(one, two);
    const { page } = await openChat(file);
    const answer = page.locator('.interactive-response').last();
    const past = page.locator('.quick-input-list .monaco-list-row', { hasText: 'the plum' });
    await (await begin(page, 'Control+Alt+F4', past)).click();
    await answer.getByText('Your next message goes on with it').waitFor();

    await choose(one);
    const shown = page.locator('.explorer-folders-view .monaco-list-row[aria-level="1"]');
    await until('the folder to go', async () => (await shown.allInnerTexts()).join() === 'one', 30_000);
    const { turnCount } = api;
    await page.keyboard.press('Control+Alt+F3');
    await answer.getByText('Nothing was sent: this conversation was held in').waitFor({ timeout: 60_000 });
    const add = answer.locator('.monaco-button', { hasText: 'Add the Folder to This Window' });
    await add.click();
    await until('the folder', async () => (await shown.allInnerTexts()).join() === 'one,two', 30_000);
    assert.equal(api.turnCount, turnCount);

    api.script([toolUse('Bash', { command: 'pwd > where' }), text('The plum.')]);
    await page.keyboard.press('Control+Alt+F3');
    await answer.locator('.monaco-button', { hasText: /^Allow$/ }).click({ timeout: 60_000 });
    await answer.getByText('The plum.').waitFor({ timeout: 60_000 });
    const request = await api.nextRequest('the last prompt', (each) =>
      contextText(each).includes('what was it?'),
    );
    assert.match(contextText(request), /remember the plum[^]*what was it\?/);
    assert.equal((await readFile(path.join(two, 'where'), 'utf8')).trim(), two);
    const { folders } = JSON.parse(await readFile(file, 'utf8')) as { folders: { path: string }[] };
    const kept = folders.map((each) => path.resolve(own.root, each.path));
    assert.deepEqual(kept, [one, two]);
  });
});
