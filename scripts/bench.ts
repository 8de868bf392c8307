// npm run bench: what the user feels, measured in one run. Figures compare within the run, not between machines.
// `npm run bench -- --only tools` measures one part: a key of `parts` or of `withoutWindow`.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { maxLines } from '../src/base/lineDiff.ts';
import { compare } from '../src/changes/comparison.ts';
import { extensionHost } from '../test/host/processes.ts';
import { openWorkbench, type Workbench, type WorkbenchOptions } from '../test/host/workbench.ts';
import { findLocks, IdeClient, type Lock } from '../test/support/ideClient.ts';
import { SdkTransport } from '../test/support/sdkTransport.ts';
import { until } from '../test/support/until.ts';
import { benchAgent } from './benchAgent.ts';
import { benchChat } from './benchChat.ts';
import { benchRecords } from './benchRecords.ts';
import {
  longestPause,
  megabytes,
  memoryOf,
  ms,
  percent,
  quantile,
  row,
  settledMemory,
  spread,
  timed,
} from './figures.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What needs no window, or has one of its own. */
const withoutWindow: Record<string, () => Promise<void> | void> = {
  comparison: benchComparison,
  records: benchRecords,
  agent: benchAgent,
  chat: benchChat,
};

async function main(): Promise<void> {
  const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
  for (const [name, run] of Object.entries(withoutWindow)) {
    if (only === undefined || only === name) {
      await run();
    }
  }
  if (only === undefined || !(only in withoutWindow)) {
    await benchWindow(only);
  }
}

async function benchWindow(only: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ide-bridge-bench-'));
  const configDir = join(folder, 'config');
  const workspace = join(folder, 'workspace');
  const probe = new Probe();
  const probePort = await probe.listen();
  let workbench: Workbench | undefined;
  try {
    const start = performance.now();
    writeFiles(workspace);
    const bare: WorkbenchOptions = {
      folder: workspace,
      settings: { 'ideBridge.editorTools.enabled': true },
      extensionDevelopmentPaths: [join(root, 'scripts', 'benchProbe')],
      env: {
        HOME: folder,
        CLAUDE_CONFIG_DIR: configDir,
        IDE_BRIDGE_BENCH_PROBE: String(probePort),
      },
    };
    workbench = await openWorkbench({
      ...bare,
      extensionDevelopmentPaths: [root, ...(bare.extensionDevelopmentPaths ?? [])],
    });
    const shown = performance.now();
    const lock = await until('the lock file', () => findLocks(configDir)[0], 60_000);
    row(
      'activation: window shown → lock file',
      `${ms(performance.now() - shown)} (from launch ${ms(performance.now() - start)})`,
    );

    const client = await IdeClient.connect({ port: lock.port, token: lock.authToken });
    const window = workbench;
    const parts: Record<string, () => Promise<void> | void> = {
      roundTrip: () => benchRoundTrip(client),
      selection: () => benchSelection(client, window, workspace, probe),
      cursorMoves: () => benchCursorMoves(client, window, lock, bare),
      diffs: () => benchDiffs(client, window, workspace, probe),
      largeProposal: () => benchLargeProposal(client, window, workspace),
      manyProposals: () => benchManyProposals(client, window, workspace, lock),
      changeSet: () => benchChangeSet(client, window, workspace, lock),
      longFile: () => benchLongFile(client, window, workspace, lock),
      memory: () => benchMemory(client, workspace, lock),
      tools: () => benchTools(client, workspace, lock),
      editorTools: () => benchEditorTools(workspace, lock, probe),
    };
    for (const [name, run] of Object.entries(parts)) {
      if (only === undefined || only === name) {
        await run();
      }
    }
    await client.close();
  } finally {
    await workbench?.close();
    probe.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The extension of `benchProbe`. */
class Probe {
  private readonly server = createServer((socket) => {
    socket.on('data', () => this.server.emit('told'));
    this.socket = socket;
  });
  private socket: Socket | undefined;

  /** @returns the port */
  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Settles when it says something. */
  async next(): Promise<void> {
    await once(this.server, 'told');
  }

  /** Settles when it has done that. */
  async does(
    step: 'untitled' | 'file' | 'show' | 'close' | 'references' | 'symbols',
    options: object = {},
  ): Promise<void> {
    const done = this.next();
    this.socket?.write(`${JSON.stringify({ step, ...options })}\n`);
    await done;
  }

  close(): void {
    this.server.close();
  }
}

function writeFiles(workspace: string): void {
  rmSync(workspace, { recursive: true, force: true });
  for (const [name, text] of [
    ['text.txt', linesOf(4_000)],
    ['small.txt', linesOf(8_000)],
    ['large.txt', linesOf(1_000_000)],
  ] as const) {
    mkdirFor(join(workspace, name));
    writeFileSync(join(workspace, name), text);
  }
}

/** Lines that differ from each other, of that many bytes together or little more. */
function linesOf(bytes: number): string {
  let text = '';
  for (let i = 0; text.length < bytes; i++) {
    text += `line ${i}\n`;
  }
  return text;
}

function mkdirFor(path: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
}

/** A cheap tool against a bare `ws` echo server in a process of its own, turn by turn, so that both see the same load. */
async function benchRoundTrip(client: IdeClient): Promise<void> {
  const echo = await startEcho();
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let i = 0; i < 2_200; i++) {
    const times: [number, number] = [
      await timed(() => client.call('getWorkspaceFolders')),
      await timed(() => echo.roundTrip()),
    ];
    if (i >= 200) {
      ours.push(times[0]);
      bare.push(times[1]);
    }
  }
  echo.stop();
  const ratio = quantile(ours, 0.5) / quantile(bare, 0.5);
  row('round trip, getWorkspaceFolders', spread(ours));
  row('round trip, bare ws echo', spread(bare));
  row('ratio at p50', ratio.toFixed(2), ratio <= 2, 'at most 2');
}

async function startEcho(): Promise<{ roundTrip(): Promise<void>; stop(): void }> {
  const child = fork(fileURLToPath(new URL('benchEcho.mjs', import.meta.url)), { execArgv: [] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('exit', (code) => reject(new Error(`The echo server ended with code ${code}.`)));
  });
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  await new Promise((resolve) => socket.once('open', resolve));
  const message = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'x'.repeat(200) }] },
  });
  return {
    roundTrip: () =>
      new Promise((resolve) => {
        socket.once('message', (data: Buffer) => {
          JSON.parse(data.toString('utf8'));
          resolve();
        });
        socket.send(message);
      }),
    stop: () => {
      socket.terminate();
      child.kill();
    },
  };
}

/** From the moment at which VS Code tells extensions; the way there from the key is its own. */
async function benchSelection(
  client: IdeClient,
  { page }: Workbench,
  workspace: string,
  probe: Probe,
): Promise<void> {
  await client.call('openFile', { filePath: join(workspace, 'text.txt') });
  await page.locator('.editor-instance .view-lines').first().click();
  const [fromKey, fromEvent]: [number[], number[]] = [[], []];
  for (let i = 0; i < 100; i++) {
    await new Promise((resolve) => setTimeout(resolve, 150)); // beyond the last debounce
    const told = probe.next().then(() => performance.now());
    const arrived = nextSelection(client);
    const start = performance.now();
    await page.keyboard.press('ArrowDown');
    const [toldAt, arrivedAt] = await Promise.all([told, arrived]);
    fromKey.push(toldAt - start);
    fromEvent.push(arrivedAt - toldAt);
  }
  row('key press → selection event in a bare extension', spread(fromKey));
  const p50 = quantile(fromEvent, 0.5);
  row('from there → selection_changed (50 ms debounce)', spread(fromEvent), p50 <= 65, 'p50 at most 65 ms');
}

/** Settles with the time at which the client gets its next selection. */
function nextSelection(client: IdeClient): Promise<number> {
  const before = client.notifications('selection_changed').length;
  return new Promise((resolve) => {
    const listen = () => {
      if (client.notifications('selection_changed').length > before) {
        client.socket.off('message', listen);
        resolve(performance.now());
      }
    };
    client.socket.on('message', listen);
  });
}

/** The share of the extension host holds that of VS Code's own extensions: a window without ours tells how much. */
async function benchCursorMoves(
  client: IdeClient,
  { page }: Workbench,
  lock: Lock,
  options: WorkbenchOptions,
): Promise<void> {
  const before = client.notifications('selection_changed').length;
  const { elapsed, share } = await moveCursor(page, extensionHost(lock.pid));
  const messages = client.notifications('selection_changed').length - before;
  row(
    `1,000 cursor moves in ${ms(elapsed)}`,
    `${messages} messages`,
    messages <= elapsed / 50 + 1,
    'one per 50 ms',
  );
  const bare = await openWorkbench(options);
  try {
    await bare.page.keyboard.press('Control+KeyP');
    await bare.page.locator('.quick-input-widget input').fill('text.txt');
    await bare.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'text.txt' }).first().click();
    await bare.page.locator('.editor-instance .view-lines').first().click();
    const { share: bareShare } = await moveCursor(bare.page, extensionHost(bare.serverPid));
    row('extension host meanwhile', `${percent(share)} of a core`);
    row('the same without this extension', `${percent(bareShare)} of a core`);
    row('difference', percent(share - bareShare), share - bareShare < 0.05, 'under 5 % of a core');
  } finally {
    await bare.close();
  }
}

/** As fast as keys can be pressed, in the editor that has the focus. */
async function moveCursor(page: Page, pid: number): Promise<{ elapsed: number; share: number }> {
  const [cpu, start] = [cpuTime(pid), performance.now()];
  for (let i = 0; i < 1_000; i++) {
    await page.keyboard.press(i % 200 < 100 ? 'ArrowDown' : 'ArrowUp');
  }
  const elapsed = performance.now() - start;
  return { elapsed, share: (cpuTime(pid) - cpu) / elapsed };
}

/** User and system time of a process so far, in ms; the kernel counts it in hundredths of a second. */
function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * Each turn by turn with what the editor's own command takes: for a file and a virtual one, which the editor has to read
 * as it has to for a proposal; and for two untitled documents that it has open already.
 */
async function benchDiffs(
  client: IdeClient,
  { page }: Workbench,
  workspace: string,
  probe: Probe,
): Promise<void> {
  for (const [name, file] of [
    ['8 kB', 'small.txt'],
    ['1 MB', 'large.txt'],
  ] as const) {
    const path = join(workspace, file);
    const before = readFileSync(path, 'utf8');
    const [ours, late]: [number[], number[]] = [[], []];
    const bare: Record<'untitled' | 'file', number[]> = { untitled: [], file: [] };
    for (let i = 0; i < 21; i++) {
      const marker = `proposal-of-${file}-${i}`;
      const text = before.replace('line 7', marker);
      const seen = Promise.all([whenSeen(page, marker), whenSeen(page, marker, 'Accept')]);
      const start = Date.now();
      const answer = client.call('openDiff', diffArguments(path, text, marker));
      const [textAt, acceptAt] = await seen;
      ours.push(textAt - start);
      late.push(acceptAt - textAt);
      await client.call('close_tab', { tab_name: marker });
      await answer;

      for (const kind of ['untitled', 'file'] as const) {
        const bareMarker = `${kind}-${marker}`;
        await probe.does(kind, { path, texts: [before, before.replace('line 7', bareMarker)] });
        const bareSeen = whenSeen(page, bareMarker);
        const bareStart = Date.now();
        await probe.does('show');
        bare[kind].push((await bareSeen) - bareStart);
        await probe.does('close');
      }
    }
    if (file === 'small.txt') {
      row('first diff of a window → Accept in the title bar', ms((ours[0] ?? NaN) + (late[0] ?? NaN)));
    }
    row(`openDiff → text visible, ${name}`, spread(ours.slice(1)));
    const ratio = (kind: 'untitled' | 'file') =>
      quantile(ours.slice(1), 0.5) / quantile(bare[kind].slice(1), 0.5);
    row('bare vscode.diff of a file and a virtual one', spread(bare.file.slice(1)));
    row('ratio at p50', ratio('file').toFixed(2), ratio('file') <= 1.05, 'at most 1.05');
    row('bare vscode.diff of two open documents', spread(bare.untitled.slice(1)));
    row('ratio at p50', ratio('untitled').toFixed(2));
    const frame = quantile(late.slice(1), 0.5); // the two looks are within one
    row('Accept in the title bar after the text', ms(frame), frame < 16, 'the same frame');
  }
}

/** The frame of the window in which a diff's right side shows that, and its title bar the button, in ms since the epoch. */
async function whenSeen(page: Page, marker: string, button = ''): Promise<number> {
  const seen = await page.waitForFunction(
    ([text, label]) =>
      [...document.querySelectorAll('.editor.modified .view-line')].some((line) =>
        line.textContent.includes(text),
      ) &&
      (label === '' || document.querySelector(`.editor-actions [aria-label^="${label}"]`)) &&
      performance.timeOrigin + performance.now(),
    [marker, button] as const,
    { polling: 'raf' },
  );
  return Number(await seen.jsonValue());
}

/** Many at once: until the last is shown and all are counted, until the view lists them, until all are gone. */
async function benchManyProposals(
  client: IdeClient,
  { page }: Workbench,
  workspace: string,
  lock: Lock,
): Promise<void> {
  const count = 200;
  const memory = await settledMemory(extensionHost(lock.pid));
  const counted = page.locator(`[aria-label*="${count} proposed changes"]`).first();
  const opening = await timed(async () => {
    for (let i = 0; i < count; i++) {
      const name = join(workspace, `many-${i}.txt`);
      client.call('openDiff', diffArguments(name, `line ${i}\n`.repeat(100), `many ${i}`)).catch(() => {});
    }
    await counted.waitFor({ state: 'attached', timeout: 120_000 });
    await page
      .locator('.tab', { hasText: `many-${count - 1}.txt` })
      .first()
      .waitFor({ timeout: 120_000 });
  });
  const listing = await timed(async () => {
    await page.locator('.activitybar .action-item a[aria-label^="Claude Code"]').click({ force: true });
    await page.locator('.pane-body .monaco-list-row', { hasText: '+100' }).first().waitFor();
  });
  const listed = await settledMemory(extensionHost(lock.pid));
  const closing = await timed(() => client.call('closeAllDiffTabs'));
  row(`${count} proposals: open / listed / withdrawn`, [opening, listing, closing].map(ms).join(' / '));
  row(`extension host with ${count} proposals`, `${megabytes(memory)} → ${megabytes(listed)}`);
}

/**
 * Files that one session edits without asking: announced as the CLI does it, then all written, and listed in the view. They
 * are not shared, as the editor would open each of them for its problems, and be at that for long.
 */
async function benchChangeSet(
  client: IdeClient,
  { page }: Workbench,
  workspace: string,
  lock: Lock,
): Promise<void> {
  const count = 2_000;
  const before = 'a line of some words\n'.repeat(100);
  const paths = Array.from({ length: count }, (_, i) => join(workspace, 'changed', `.env-${i}`));
  paths.forEach((path) => mkdirFor(path));
  paths.forEach((path) => writeFileSync(path, before));
  if (!(await page.locator('.pane', { hasText: 'Review' }).isVisible())) {
    await page.locator('.activitybar .action-item a[aria-label^="Claude Code"]').click({ force: true });
  }
  const memory = await settledMemory(extensionHost(lock.pid));
  const announcing = await timed(async () => {
    for (const path of paths) {
      await client.call('getDiagnostics', { uri: `file://${path}` });
    }
  });
  const pid = extensionHost(lock.pid);
  await settledMemory(pid);
  const list = async (lines: number) => {
    for (const path of paths) {
      await writeFile(path, before + 'one line more\n'.repeat(lines)); // and not all at once, for the pings
    }
    await client.call('getDiagnostics');
    const text = `${count} files · +${lines * count}`;
    await page.locator('.monaco-list-row', { hasText: text }).waitFor({ timeout: 60_000 });
  };
  const cpu = cpuTime(pid);
  const listing = await timed(() => list(1));
  const work = cpuTime(pid) - cpu;
  const pause = await longestPause(client, () => list(2));
  const listed = await settledMemory(pid);
  row(
    `change set of ${count} files: each announced / all listed`,
    `${ms(announcing / count)} / ${ms(listing)}`,
  );
  row('work of the extension host for that list', ms(work), work < 1_000, 'under 1 s');
  row('its longest pause meanwhile', ms(pause));
  row(`extension host with ${count} changed files`, `${megabytes(memory)} → ${megabytes(listed)}`);

  const noting = await longestPause(client, async () => {
    await client.call('closeAllDiffTabs'); // as each prompt begins
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  });
  row(`the next prompt, with ${count} changed files: longest pause`, ms(noting), noting < 50, 'under 50 ms');
}

/** One file with many changes, decided in its editor. */
async function benchLongFile(
  client: IdeClient,
  { page }: Workbench,
  workspace: string,
  lock: Lock,
): Promise<void> {
  const [count, lines] = [2_000, 50_000];
  const path = join(workspace, 'many-changes.txt');
  const text = (word: string) =>
    Array.from({ length: lines }, (_, i) => `${i % (lines / count) === 0 ? word : 'line'} ${i}\n`).join('');
  writeFileSync(path, text('before'));
  await client.call('getDiagnostics', { uri: `file://${path}` });
  writeFileSync(path, text('after'));
  await client.call('getDiagnostics');
  const lens = (left: number) =>
    page
      .locator('.codelens-decoration', { hasText: `1 of ${left}` })
      .first()
      .waitFor({ timeout: 60_000 });
  let opening = 0;
  const pause = await longestPause(client, async () => {
    opening = await timed(async () => {
      await client.call('openFile', { filePath: path });
      await lens(count);
    });
  });
  row(
    `file of ${lines} lines with ${count} changes: decisions shown / longest pause`,
    `${ms(opening)} / ${ms(pause)}`,
  );
  const [times, pauses]: [number[], number[]] = [[], []];
  await page.locator('.editor-instance .view-line', { hasText: 'after 0' }).first().click();
  for (let left = count; left > count - 10; left--) {
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // as it takes to look
    pauses.push(
      await longestPause(client, async () => {
        times.push(
          await timed(async () => {
            await page.keyboard.press('Alt+y');
            await lens(left - 1);
          }),
        );
      }),
    );
  }
  row('one of them kept by its key, until the others are numbered anew', spread(times));
  const longest = quantile(pauses, 0.5);
  row('longest pause of the extension host meanwhile', spread(pauses), longest < 50, 'p50 under 50 ms');
  const save = async (whose: string) => {
    const pauses: number[] = [];
    for (let i = 0; i < 10; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const text = `mine ${i} ${whose}`;
      pauses.push(
        await longestPause(client, async () => {
          await page.keyboard.press('End');
          await page.keyboard.press('Enter');
          await page.keyboard.type(text);
          await page.keyboard.press('ControlOrMeta+s');
          await until('the save', () => readFileSync(path, 'utf8').includes(text));
          await new Promise((resolve) => setTimeout(resolve, 500)); // until it was looked at
        }),
      );
    }
    row(`longest pause with a save of a line of the user’s there, ${whose}`, spread(pauses));
  };
  await save('one session');
  const other = await IdeClient.connect({ port: lock.port, token: lock.authToken, pid: process.ppid });
  await other.call('getDiagnostics', { uri: `file://${path}` });
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('after', 'again'));
  await other.call('getDiagnostics');
  await page.locator('.editor-instance .view-line', { hasText: 'again' }).first().waitFor();
  await save('two sessions');
  await other.close();
}

/** Proposals with one change, in the first line of a long file. */
async function benchLargeProposal(client: IdeClient, { page }: Workbench, workspace: string): Promise<void> {
  await page.locator('.activitybar .action-item a[aria-label^="Claude Code"]').click({ force: true });
  // Looks at each frame: a locator does so only every half second.
  const isThere = (selector: string, words: string) =>
    timed(() =>
      page.waitForFunction(
        `[...document.querySelectorAll('${selector}')].some((each) => each.textContent.includes('${words}'))`,
        undefined,
        { timeout: 60_000 },
      ),
    );
  const propose = async (name: string, count: number) => {
    const lines = Array.from(
      { length: count },
      (_, i) => `a line of some fifty characters, its number: ${i}\n`,
    );
    const path = join(workspace, name);
    writeFileSync(path, lines.join(''));
    const text = ['changed\n', ...lines.slice(1)].join('');
    client.call('openDiff', diffArguments(path, text, name)).catch(() => {});
    const [listed, shown, decidable] = await Promise.all([
      isThere('.pane-body .monaco-list-row', name),
      isThere('.editor.modified .view-line', 'changed'),
      isThere('.codelens-decoration a', 'Accept'),
    ]);
    const withdrawn = await timed(() => client.call('closeAllDiffTabs'));
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // until the view has drawn that
    return { listed, shown, decidable, withdrawn };
  };
  await propose('twenty-lines.txt', 20); // the first of a window loads what all need
  const { listed, shown, decidable } = await propose('long.txt', 40_000);
  row(
    'proposal of 40,000 lines: text / decisions / row shown',
    [shown, decidable, listed].map(ms).join(' / '),
    listed < shown && decidable <= 2 * shown,
    'the row first, decisions at most 2 × its text',
  );
  const large = await propose('five-megabytes.txt', 100_000);
  row('proposal of 5 MB: hunks shown / withdrawn', [large.decidable, large.withdrawn].map(ms).join(' / '));
}

async function benchMemory(client: IdeClient, workspace: string, lock: Lock): Promise<void> {
  const pid = extensionHost(lock.pid);
  const run = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const answer = client.call(
        'openDiff',
        diffArguments(join(workspace, 'small.txt'), `changed ${i}\n`.repeat(100), `m${i}`),
      );
      await client.call('close_tab', { tab_name: `m${i}` });
      await answer;
    }
  };
  await run(100);
  const before = await settledMemory(pid);
  await run(1_000);
  const after = await settledMemory(pid);
  row(
    'extension host, before and after 1,000 diffs',
    `${megabytes(before)} → ${megabytes(after)}`,
    after < before * 1.15,
    'no growth beyond 15 %',
  );
}

/** Tools that clients call all the time, each turn by turn with one that has next to nothing to do. */
async function benchTools(client: IdeClient, workspace: string, lock: Lock): Promise<void> {
  const compare = async (name: string, scene: string, limit: number) => {
    const [times, bare]: [number[], number[]] = [[], []];
    for (let i = 0; i < 200; i++) {
      bare.push(await timed(() => client.call('getWorkspaceFolders')));
      times.push(await timed(() => client.call(name)));
    }
    const ratio = quantile(times, 0.5) / quantile(bare, 0.5);
    const figure = `${spread(times)}, ${ratio.toFixed(1)} × getWorkspaceFolders`;
    row(`${name}, ${scene}`, figure, ratio <= limit, `at most ${limit} ×`);
  };
  const [tabs, calls] = [40, 200];
  for (let i = 0; i < tabs; i++) {
    const filePath = join(workspace, `tab-${i}.txt`);
    writeFileSync(filePath, linesOf(1_000));
    await client.call('openFile', { filePath });
  }
  await compare('getOpenEditors', `${tabs} tabs`, 3);
  await compare('getCurrentSelection', `${tabs} tabs`, 1.5);

  const pid = extensionHost(lock.pid);
  const before = await settledMemory(pid);
  for (let i = 0; i < calls; i++) {
    await client.call('getOpenEditors');
  }
  const after = memoryOf(pid);
  row(
    `extension host, ${calls} times getOpenEditors`,
    `${megabytes(before)} → ${megabytes(after)}`,
    after - before < 20_000_000,
    'less than 20 MB more',
  );

  const problems = join(workspace, 'problems.txt');
  writeFileSync(problems, '');
  await client.call('openFile', { filePath: problems }); // has the probe report some
  await until('the problems', async () =>
    (await client.callForTexts('getDiagnostics')).join().includes('file://'),
  );
  await compare('getDiagnostics', '2,000 files', 40);
}

/** What keeps the extension host from everything else, against the hash that each snapshot costs anyway. */
function benchComparison(): void {
  const lines = (count: number, what: string) => Array.from({ length: count }, (_, i) => `${what} ${i}\n`);
  const long = 'x'.repeat(10_000_000);
  const shuffled = lines(maxLines / 2, 'a line of some words');
  const cases: [string, string][] = [
    [lines(500_000, 'a line of some words').join(''), lines(500_000, 'another line of words').join('')],
    [`${long}a${long}`, `${long}b${long}`],
    [shuffled.join(''), shuffled.reverse().join('')],
  ];
  const best = (act: () => unknown) => {
    const times = Array.from({ length: 5 }, () => {
      const start = performance.now();
      act();
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  const bytes = Buffer.alloc(20_000_000, 'x');
  const hash = best(() => createHash('sha256').update(bytes).digest());
  const worst = Math.max(
    ...cases.map(([before, now]) => {
      const [a, b] = [Buffer.from(before), Buffer.from(now)];
      return best(() => compare(a, b));
    }),
  );
  const goal = 'at most 8 times';
  row(
    'comparing files of 20 MB, the worst',
    `${ms(worst)}, hashing one ${ms(hash)}`,
    worst <= 8 * hash,
    goal,
  );
}

function diffArguments(path: string, text: string, tabName: string): object {
  return { old_file_path: path, new_file_path: path, new_file_contents: text, tab_name: tabName };
}

/** Turn by turn with the editor's own command, which an extension without anything else would call. */
async function benchEditorTools(workspace: string, { port, authToken }: Lock, probe: Probe): Promise<void> {
  const folder = join(workspace, 'used');
  mkdirSync(folder);
  writeFileSync(join(folder, 'tsconfig.json'), '{ "include": ["*.ts"] }');
  const path = join(folder, 'defined.ts');
  writeFileSync(path, 'export function usedOften(value: number): number {\n  return value;\n}\n');
  for (let file = 0; file < 20; file++) {
    const uses = Array.from(
      { length: 99 },
      (_, use) => `export const of${file}At${use} = usedOften(${use});`,
    );
    writeFileSync(
      join(folder, `uses${file}.ts`),
      `import { usedOften } from './defined';\n${uses.join('\n')}\n`,
    );
  }
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new SdkTransport(port, authToken, '/editor'));
  const totals = new Map<string, number>();
  const call = async (tool: string, args: object) => {
    const { structuredContent } = await client.callTool({ name: tool, arguments: { ...args } });
    totals.set(tool, (structuredContent as { total: number } | undefined)?.total ?? 0);
  };
  const at = { line: 1, column: 17 };
  const compared = {
    references: {
      ours: () => call('references', { file: path, ...at, limit: 500 }),
      bare: () => probe.does('references', { path, ...at }),
      least: 2_000,
    },
    workspaceSymbols: {
      ours: () => call('workspaceSymbols', { query: 'of1At', limit: 500 }),
      bare: () => probe.does('symbols', { query: 'of1At' }),
      least: 99,
    },
  };
  for (const [name, { ours, bare, least }] of Object.entries(compared)) {
    await until(
      'the language server to know all files',
      async () => {
        await ours();
        return (totals.get(name) ?? 0) >= least;
      },
      60_000,
    );
    const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
    for (let i = 0; i < 60; i++) {
      times.ours.push(await timed(ours));
      times.bare.push(await timed(bare));
    }
    const ratio = quantile(times.ours, 0.5) / quantile(times.bare, 0.5);
    row(`editor tool ${name}, ${totals.get(name)} found`, spread(times.ours));
    row('the same by the editor’s own command', spread(times.bare));
    row('ratio at p50', ratio.toFixed(2), ratio <= 1.2, 'at most 1.2');
  }
  await client.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
