import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openWorkbench } from '../test/host/workbench.ts';
import { createCliHome } from '../test/e2e/cliHome.ts';
import { MockApi, text } from '../test/e2e/mockApi.ts';
import { ensureCli } from '../test/e2e/provisionCli.ts';
import { BareCli, version } from './benchAgent.ts';
import { ms, quantile, row, spread } from './figures.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** From Enter in the editor's chat until the model's first word is on the screen, beside the same on the bare CLI's pipes. */
export async function benchChat(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'ide-bridge-bench-'));
  const folder = join(home, 'workspace');
  await mkdir(folder);
  const { env } = await createCliHome(home, folder);
  const api = await MockApi.start();
  const bare = await BareCli.start();
  const workbench = await openWorkbench({
    folder,
    dataDir: join(home, 'vscode'),
    env: { CLAUDE_CONFIG_DIR: env['CLAUDE_CONFIG_DIR'] },
    extensionDevelopmentPaths: [root],
    keybindings: [
      {
        key: 'ctrl+alt+f2',
        command: 'workbench.action.chat.open',
        args: { query: '@claude say it', isPartialQuery: true },
      },
    ],
    settings: {
      'chat.disableAIFeatures': false,
      'ideBridge.command': join(await ensureCli(version), 'claude'),
      'ideBridge.environment': { ...env, ANTHROPIC_BASE_URL: api.url },
    },
  });
  try {
    const { page } = workbench;
    await page.locator('.statusbar-item[id*="ideBridge.status"]', { hasText: 'Claude' }).waitFor();
    const [ours, pipes]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 12; turn++) {
      const word = `Plum${turn}.`;
      api.script([text(word)]);
      ours.push(await untilShown(page, word));
      pipes.push(await bare.firstToken(`bare ${turn}`));
    }
    // The first of each starts the process or warms it up.
    const [chat, cli] = [ours.slice(2), pipes.slice(2)];
    row('Enter → first text in the chat', `${spread(chat)}, bare CLI's first token ${spread(cli)}`);
    row('on top of the bare CLI', ms(quantile(chat, 0.5) - quantile(cli, 0.5)));
  } finally {
    await workbench.close();
    await bare.close();
    await api.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** @returns ms between the key and the word, both by the window's own clock */
async function untilShown(page: Page, word: string): Promise<number> {
  await page.keyboard.press('Control+Alt+F2');
  await page.locator('.interactive-input-part', { hasText: 'say it' }).waitFor();
  const shown = page.evaluate<number>(`new Promise((resolve) => {
    let start;
    addEventListener('keydown', ({ key }) => { if (key === 'Enter') start ??= performance.now(); }, { capture: true });
    const observer = new MutationObserver(() => {
      const answers = document.querySelectorAll('.interactive-response');
      if (start !== undefined && answers[answers.length - 1]?.textContent.includes(${JSON.stringify(word)})) {
        observer.disconnect();
        resolve(performance.now() - start);
      }
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  })`);
  await page.keyboard.press('Enter');
  const time = await shown;
  await page
    .locator('.interactive-response')
    .last()
    .locator('.chat-response-loading')
    .waitFor({ state: 'detached' });
  return time;
}
