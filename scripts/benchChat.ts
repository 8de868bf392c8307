import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openWorkbench, type Workbench } from '../test/host/workbench.ts';
import { createCliHome } from '../test/e2e/cliHome.ts';
import { MockApi, text, toolUse, type Turn } from '../test/e2e/mockApi.ts';
import { ensureCli } from '../test/e2e/provisionCli.ts';
import { findLocks, IdeClient } from '../test/support/ideClient.ts';
import { extensionHost } from '../test/host/processes.ts';
import { until } from '../test/support/until.ts';
import { BareCli, version } from './benchAgent.ts';
import { longestPause, megabytes, ms, quantile, row, settledMemory, spread, timed } from './figures.ts';

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
    await benchManyUses(workbench, folder, join(home, '.claude'), api, bare);
  } finally {
    await workbench.close();
    await bare.close();
    await api.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** @param key which puts `prompt` there @returns ms between Enter and the word, both by the window's own clock */
async function untilShown(
  page: Page,
  key: string,
  prompt: string,
  word: string,
  timeout = 30_000,
): Promise<number> {
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
  const shown = await page.waitForFunction('globalThis.firstText', undefined, { timeout });
  await answers.last().locator('.chat-response-loading').waitFor({ state: 'detached' });
  return (await shown.jsonValue()) as number;
}

/** Whether window and extension host answer while a turn uses tools 5,000 times, against the time in which a bare CLI does. */
async function benchManyUses(
  { page }: Workbench,
  folder: string,
  configDir: string,
  api: MockApi,
  bare: BareCli,
): Promise<void> {
  const turnsIn = (place: string): Turn[] => [
    ...Array.from({ length: 10 }, (_, at) => {
      const path = join(place, `read-${at}.txt`);
      writeFileSync(path, 'a line of some words\n'.repeat(20));
      return Array.from({ length: 500 }, () => toolUse('Read', { file_path: path })).flat();
    }),
    text('All read.'),
  ];
  const lock = await until('the lock file', () => findLocks(configDir)[0]);
  const client = await IdeClient.connect({ port: lock.port, token: lock.authToken });
  const pid = extensionHost(lock.pid);
  const pauses = async (act: () => Promise<void>) => {
    await page.evaluate(`{
      let last = performance.now();
      globalThis.longestPause = 0;
      globalThis.watching = setInterval(() => {
        const now = performance.now();
        globalThis.longestPause = Math.max(globalThis.longestPause, now - last);
        last = now;
      }, 5);
    }`);
    const host = await longestPause(client, act);
    await page.evaluate('clearInterval(globalThis.watching)');
    return { host, window: await page.evaluate<number>('globalThis.longestPause') };
  };
  const before = await settledMemory(pid);
  api.script(turnsIn(folder));
  let time = 0;
  const during = await pauses(async () => {
    time = await untilShown(page, 'Control+Alt+F2', 'say it', 'All read.', 300_000);
  });
  const after = await settledMemory(pid);
  let alone = 0;
  const idle = await pauses(async () => {
    alone = await timed(() => bare.turn(turnsIn(bare.folder)));
  });
  await client.close();
  const what = '5,000 uses of tools in a turn of the chat';
  row(
    `${what}, and of the bare CLI`,
    [time, alone].map(ms).join(' / '),
    time <= 1.2 * alone,
    'at most 1.2 ×',
  );
  row('longest pause of the extension host, and without', [during.host, idle.host].map(ms).join(' / '));
  row('longest pause of the window, and without', [during.window, idle.window].map(ms).join(' / '));
  const growth = [before, after].map(megabytes).join(' → ');
  row('extension host, before and after', growth, after - before < 150_000_000, 'less than 150 MB more');
}
