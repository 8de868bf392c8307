import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { childrenOf, commandOf, extensionHost, killTree } from '../host/processes.ts';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { useOwnWindow } from './useOwnWindow.ts';

type End = 'a reload' | 'a crash of the extension host' | 'a crash of all';

describe('What was typed into a proposal', function () {
  this.timeout(180_000);
  const own = useOwnWindow();

  const cases: [autoSave: string, end: End, folder: boolean][] = [
    ['off', 'a reload', true],
    ['afterDelay', 'a reload', true],
    ['afterDelay', 'a reload', false],
    ['afterDelay', 'a crash of the extension host', true],
    ['afterDelay', 'a crash of all', true],
    ['onFocusChange', 'a reload', true],
  ];
  for (const [autoSave, end, hasFolder] of cases) {
    it(`survives ${end} with auto-save ${autoSave}${hasFolder ? '' : ', without a folder'}`, async () => {
      const configDir = path.join(own.root, 'config');
      const folder = path.join(own.root, 'workspace');
      await mkdir(folder);
      const file = path.join(folder, 'hello.txt');
      await writeFile(file, 'one\n');
      const open = () =>
        own.open({
          ...(hasFolder && { folder }),
          env: { CLAUDE_CONFIG_DIR: configDir },
          settings: { 'files.autoSave': autoSave, 'files.autoSaveDelay': 200 },
        });
      let workbench = await open();
      const { port, authToken } = await until('the lock file', () => findLocks(configDir)[0], 30_000);
      const client = await IdeClient.connect({ port, token: authToken });
      const answer = client.callForTexts('openDiff', {
        old_file_path: file,
        new_file_path: file,
        new_file_contents: 'proposed\n',
        tab_name: 'T1',
      });
      answer.catch(() => {}); // cut off
      await typeIntoDiff(workbench.page, 'mine ');
      if (autoSave === 'onFocusChange') {
        await workbench.page.locator('.tab', { hasText: 'proposed edit' }).click(); // is a focus change, too
        await workbench.page.keyboard.press('Control+Shift+E');
      }
      if (autoSave !== 'off') {
        await until('the auto-save', async () => (await workbench.page.locator('.tab.dirty').count()) === 0);
      }
      const kept = await until('the text on disk', () =>
        keptFiles(own.root).find((name) => readFileSync(name, 'utf8').includes('mine proposed')),
      );
      assert.equal(statSync(kept).mode & 0o077, 0, 'for the user alone');

      if (end === 'a reload') {
        await workbench.page.reload();
      } else if (end === 'a crash of the extension host') {
        process.kill(extensionHost(workbench.serverPid), 'SIGKILL');
      } else {
        killAll(own.root);
        workbench = await open();
      }
      const { page } = workbench;
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
  }
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
    .filter((name) => /ide-bridge[^/]*\/proposals\/\w+\.json$/.test(name))
    .map((name) => path.join(root, 'vscode', 'user', name));
}

/** Server, extension host and browser. */
function killAll(root: string): void {
  childrenOf(process.pid)
    .filter((pid) => commandOf(pid).includes(root))
    .forEach(killTree);
}
