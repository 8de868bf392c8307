import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findLocks } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { EditorWindow } from './editorWindow.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('The first terminal of a window', function () {
  this.timeout(120_000);
  const own = useOwnWindow();

  /** A window with a CLI that writes down what it hears, once its bridge is up. */
  async function open() {
    const folder = path.join(own.root, 'workspace');
    const configDir = path.join(own.root, 'config');
    const command = path.join(own.root, 'fake-claude');
    const heard = path.join(own.root, 'heard.txt');
    await mkdir(folder);
    await writeFile(path.join(folder, 'typed in.txt'), '');
    await writeFile(command, `#!/bin/sh\ncat > "${heard}"\n`);
    await chmod(command, 0o755);
    const { page } = await own.open({
      folder,
      env: { CLAUDE_CONFIG_DIR: configDir, SHELL: '/bin/bash' },
      settings: { 'ideBridge.command': command },
    });
    await until('the lock file', () => findLocks(configDir)[0], 30_000);
    return { page, folder, heard };
  }

  async function hears({ page, heard }: Awaited<ReturnType<typeof open>>): Promise<void> {
    await until('the CLI', () => existsSync(heard), 20_000);
    await page.locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });
    await page.keyboard.type('for the CLI\n');
    await until('the words', async () => (await readFile(heard, 'utf8')) === 'for the CLI\n');
  }

  it('has the focus when Run Claude Code has opened it beside a file', async () => {
    const opened = await open();
    const { page, folder } = opened;
    await new EditorWindow(page).openFile('typed in.txt');
    await page.locator('.editor-instance .view-lines').first().click();
    await page.keyboard.press('Control+Escape');
    await hears(opened);
    assert.equal(await readFile(path.join(folder, 'typed in.txt'), 'utf8'), '');
  });

  it('has the focus when a button of the walkthrough has opened it, and gives it back to that', async () => {
    const opened = await open();
    const { page } = opened;
    await page.keyboard.press('F1');
    await page.keyboard.type('Welcome: Open Walkthrough');
    await page
      .locator('.quick-input-widget .monaco-list-row', { hasText: 'Open Walkthrough' })
      .first()
      .click();
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Claude Code' }).first().click();
    const step = page.locator('.getting-started-step.expanded');
    await step.getByText('Run Claude Code').last().click();
    await hears(opened);
    await page.keyboard.press('Control+Escape');
    await step.and(page.locator(':focus')).waitFor();
  });
});
