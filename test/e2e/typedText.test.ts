import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
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
    const file = path.join(own.root, 'hello.txt');
    await writeFile(file, 'one\n');
    const { page } = await own.open({
      env: { CLAUDE_CONFIG_DIR: configDir },
      settings: { 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 200 },
    });
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
      keptFiles(own.root).find((name) => readFileSync(name, 'utf8').includes('mine proposed')),
    );
    assert.equal(statSync(kept).mode & 0o077, 0, 'for the user alone');

    await page.reload();
    await page.getByText('No session waits for your version of hello.txt any more').first().waitFor();
    await until(
      'the text in the only tab',
      async () => (await tabs(page)).join() === 'mine proposed',
      20_000,
      () => tabs(page),
    );
    assert.equal(await page.locator('.tab.dirty').count(), 1, 'it is unsaved');
    await until('nothing to be left on disk', () => !existsSync(kept));
    await client.close().catch(() => {});
  });
});

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
