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
import { quantile, row, spread } from './figures.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Of the echo. */
const atOnce = 'at once';

/**
 * From Enter in the editor's chat until the model's first word is on the screen; beside it what the two between which we
 * stand need by themselves: a participant that answers at once, and the bare CLI on its pipes.
 */
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
    extensionDevelopmentPaths: [root, join(root, 'scripts', 'benchParticipant')],
    keybindings: ['@claude say it', `@echo ${atOnce}`].map((query, index) => ({
      key: `ctrl+alt+f${index + 2}`,
      command: 'workbench.action.chat.open',
      args: { query, isPartialQuery: true },
    })),
    settings: {
      'chat.disableAIFeatures': false,
      'ideBridge.command': join(await ensureCli(version), 'claude'),
      'ideBridge.environment': { ...env, ANTHROPIC_BASE_URL: api.url },
    },
  });
  try {
    const { page } = workbench;
    await page.locator('.statusbar-item[id*="ideBridge.status"]', { hasText: 'Claude' }).waitFor();
    const [ours, echoes, pipes]: [number[], number[], number[]] = [[], [], []];
    for (let turn = 0; turn < 22; turn++) {
      const word = `Plum${turn}.`;
      api.script([text(word)]);
      ours.push(await untilShown(page, 'Control+Alt+F2', 'say it', word));
      echoes.push(await untilShown(page, 'Control+Alt+F3', atOnce, `${atOnce}!`));
      pipes.push(await bare.firstToken(`bare ${turn}`));
    }
    // The first ones start processes or warm them up.
    for (const times of [ours, echoes, pipes]) times.splice(0, 2);
    const least = quantile(echoes, 0.5) + quantile(pipes, 0.5);
    const ratio = quantile(ours, 0.5) / least;
    row('Enter → first text in the chat', spread(ours));
    row('a participant that answers at once', spread(echoes));
    row('bare CLI, prompt → first token', spread(pipes));
    row('ratio to both at p50', ratio.toFixed(2), ratio <= 1.2, 'at most 1.2');
  } finally {
    await workbench.close();
    await bare.close();
    await api.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** @param key which puts `prompt` there @returns ms between Enter and the word, both by the window's own clock */
async function untilShown(page: Page, key: string, prompt: string, word: string): Promise<number> {
  const answers = page.locator('.interactive-response');
  await page.keyboard.press(key);
  await page.locator('.interactive-input-part', { hasText: prompt }).waitFor();
  // Listening before the key is pressed; and what does not come is waited for no longer than for anything else.
  await page.evaluate(`{
    globalThis.firstText = undefined;
    let start;
    const onKey = ({ key }) => { if (key === 'Enter') start ??= performance.now(); };
    addEventListener('keydown', onKey, { capture: true });
    const observer = new MutationObserver(() => {
      const answers = document.querySelectorAll('.interactive-response');
      if (start !== undefined && answers[answers.length - 1]?.textContent.includes(${JSON.stringify(word)})) {
        observer.disconnect();
        removeEventListener('keydown', onKey, { capture: true });
        globalThis.firstText = performance.now() - start;
      }
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  }`);
  await page.keyboard.press('Enter');
  const shown = await page.waitForFunction('globalThis.firstText');
  await answers.last().locator('.chat-response-loading').waitFor({ state: 'detached' });
  return (await shown.jsonValue()) as number;
}
