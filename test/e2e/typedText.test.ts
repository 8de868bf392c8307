import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('What was typed into a proposal', function () {
  this.timeout(180_000);
  const own = useOwnWindow();

  // With a folder, see the reloads.
  it('survives a reload in a window without a folder, after auto-save', async () => {
    const configDir = path.join(own.root, 'config');
    const { page } = await own.open({ env: { CLAUDE_CONFIG_DIR: configDir }, settings: autoSave });
    const { client, kept } = await typeInto(page, configDir, path.join(own.root, 'hello.txt'));
    await page.reload();
    await isInOneUnsavedTab(page);
    await until('nothing to be left on disk', () => !existsSync(kept));
    await client.close().catch(() => {});
  });

  it('stays in view when a folder is added to the window, after auto-save', async () => {
    const configDir = path.join(own.root, 'config');
    const [folder, added] = [path.join(own.root, 'first'), path.join(own.root, 'added')];
    await Promise.all([folder, added].map((each) => mkdir(each)));
    const { page } = await own.open({ folder, env: { CLAUDE_CONFIG_DIR: configDir }, settings: autoSave });
    const { client, kept } = await typeInto(page, configDir, path.join(folder, 'hello.txt'));

    await page.keyboard.press('F1');
    const input = page.locator('.quick-input-widget input').first();
    await input.fill('>Workspaces: Add Folder to Workspace...');
    await page.locator('.quick-input-list .monaco-list-row').first().click();
    await until('the question which', async () => (await input.inputValue()).startsWith('/'));
    await input.fill(`${added}/`);
    // Pressed before it has looked at the folder, the key does nothing.
    await until(
      'another workspace',
      async () => {
        await page.keyboard.press('Enter');
        return page.waitForURL(/[?&]workspace=/, { timeout: 10_000 }).then(
          () => true,
          () => false,
        );
      },
      60_000,
    );
    await isInOneUnsavedTab(page);
    await until('nothing to be left on disk', () => !existsSync(kept));
    await client.close().catch(() => {});
  });
});

const autoSave = { 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 200 };

/** Proposes an edit of that file, and types into it. @returns `kept`: where the extension has kept that */
async function typeInto(
  page: Page,
  configDir: string,
  file: string,
): Promise<{ client: IdeClient; kept: string }> {
  await writeFile(file, 'one\n');
  const { port, authToken } = await until('the lock file', () => findLocks(configDir)[0], 30_000);
  const client = await IdeClient.connect({ port, token: authToken });
  const answer = client.callForTexts('openDiff', {
    old_file_path: file,
    new_file_path: file,
    new_file_contents: 'proposed\n',
    tab_name: 'T1',
  });
  answer.catch(() => {}); // cut off
  await typeIntoDiff(page, 'mine ');
  await until('the auto-save', async () => (await page.locator('.tab.dirty').count()) === 0);
  const kept = await until('the text on disk', () =>
    keptFiles(path.dirname(configDir)).find((name) => readFileSync(name, 'utf8').includes('mine proposed')),
  );
  assert.equal(statSync(kept).mode & 0o077, 0, 'for the user alone');
  return { client, kept };
}

async function isInOneUnsavedTab(page: Page): Promise<void> {
  await page.getByText('No session waits for your version of hello.txt any more').first().waitFor();
  await until(
    'the text in the only tab',
    async () => (await tabs(page)).join() === 'mine proposed',
    20_000,
    () => tabs(page),
  );
  assert.equal(await page.locator('.tab.dirty').count(), 1, 'it is unsaved');
}

const tabs = (page: Page) => page.locator('.tabs-container .tab .label-name').allInnerTexts();

async function typeIntoDiff(page: Page, text: string): Promise<void> {
  const side = page.locator('.editor.modified .view-lines').first();
  await side.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type(text);
  await side.getByText('mine proposed').waitFor();
}

/** What the extension has kept on disk, wherever in the editor's data. */
function keptFiles(root: string): string[] {
  return readdirSync(path.join(root, 'vscode', 'user'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /ide-bridge[^/]*\/proposals\/.*\.json$/.test(name))
    .map((name) => path.join(root, 'vscode', 'user', name));
}
