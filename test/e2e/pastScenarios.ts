import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecordedCli } from '../support/recordedCli.ts';
import { clickRowButton, redrawTime } from '../support/reviewRows.ts';
import { until } from '../support/until.ts';
import type { Desk } from './desk.ts';
import { contextText, MockApi, text } from './mockApi.ts';

/** What was held before goes on. */
export function pastScenarios(desk: () => Desk): void {
  let number = 43;

  it('finds past sessions in the configuration folder that the setting gives to the CLIs', async () => {
    const { root, workspace } = desk();
    const configDir = path.join(root, 'other-configuration');
    new RecordedCli(configDir, workspace, process.pid).prompt('said elsewhere');
    await desk().configure({ 'ideBridge.environment': { CLAUDE_CONFIG_DIR: configDir } });
    const { window } = desk();
    await window.runCommand('Claude Code: Focus on Sessions View');
    const rows = window.page.locator('.pane', { hasText: 'Sessions' }).locator('.monaco-list-row');
    const group = rows.filter({ hasText: 'Past Sessions' });
    await group.waitFor();
    await sleep(redrawTime); // a click on a row that has just come does nothing
    await group.click();
    await rows.filter({ hasText: 'said elsewhere' }).waitFor();
  });

  it('goes on with a past session by its row', async () => {
    const api = await MockApi.start();
    number++; // another try finds its own
    const prompt = `remember the number ${number}`;
    try {
      await desk().configure({
        'ideBridge.environment': { ANTHROPIC_BASE_URL: api.url },
        'ideBridge.location': 'panel',
      });
      const claude = await desk().startClaude();
      await claude.ask(prompt);
      const { window } = desk();
      const { page } = window;
      const rows = page.locator('.pane', { hasText: 'Sessions' }).locator('.monaco-list-row');
      await window.runCommand('Claude Code: Focus on Sessions View');
      const group = rows.filter({ hasText: 'Past Sessions' });
      await group.waitFor();
      const past = page.locator('.monaco-list-row[aria-level="2"]', { hasText: prompt });
      await group.click();
      assert.equal(await past.count(), 0, 'it goes on');
      const pids = claude.pids();
      await claude.terminal.type('/exit');
      await until('it to end', async () => {
        await claude.terminal.press('Enter');
        await sleep(1_000);
        return !claude.pids().some((pid) => pids.includes(pid));
      });
      await window.runCommand('Claude Code: Focus on Sessions View');
      await past.waitFor();
      await clickRowButton(past, 'Resume in Terminal');
      const terminal = page.locator('.panel .terminal-wrapper.active .xterm').filter({ visible: true });
      const shows = (words: string, limit = 40_000) =>
        until(
          `"${words}" in the terminal`,
          async () =>
            (await terminal.locator('.xterm-rows').innerText()).replaceAll('\u00a0', ' ').includes(words),
          limit,
        );
      await shows(prompt);
      await past.waitFor({ state: 'detached' }); // it is a session again
      api.script([text('It is 44.')]);
      await terminal.locator('.xterm-helper-textarea').focus();
      await until(
        'what is typed, whole: the CLI draws before it reads keys',
        async () => {
          await page.keyboard.press('Control+u');
          await page.keyboard.type('which number?');
          return shows('which number?', 5_000).then(
            () => true,
            () => false,
          );
        },
        40_000,
      );
      await until(
        'a turn',
        async () => {
          await page.keyboard.press('Enter');
          return until('a turn', () => api.turnCount > 0, 5_000).catch(() => false as const);
        },
        60_000,
      );
      const request = await api.nextRequest('the prompts', (turn) =>
        contextText(turn).includes('which number?'),
      );
      const messages = JSON.stringify(request.messages);
      assert.match(messages, new RegExp(`${prompt}.*mock answer 1.*which number`));
    } finally {
      await api.close();
    }
  });
}
