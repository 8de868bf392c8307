// npm run soak [-- --short]: load and faults on a real bridge; prints figures, ends with 1 if something was lost.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import type { FileDiagnostics } from '../src/protocol/ide.ts';
import type { Bridge } from '../src/server/bridge.ts';
import { getDiagnostics } from '../src/tools/getDiagnostics.ts';
import { openDiff } from '../src/tools/openDiff.ts';
import { ToolRegistry } from '../src/tools/registry.ts';
import { defineTool, json, text } from '../src/tools/tool.ts';
import type { IdeClient, Lock } from '../test/support/ideClient.ts';
import { memoryInUse } from '../test/support/memory.ts';
import { TestBridges } from '../test/support/testBridges.ts';
import { until } from '../test/support/until.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean' } } });
/** A tenth of everything. */
const scale = values.short ? 0.1 : 1;
const sizes = { clients: 100, calls: 100_000 * scale, proposals: 10_000 * scale, files: 2_000, tabs: 500 };
const megabyte = 1024 * 1024;

let passed = 0;
let failed = 0;

function check(what: string, holds: boolean, figure: string | number): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}: ${figure}`);
  if (holds) {
    passed++;
  } else {
    failed++;
  }
}

/** A large workspace, as the tools see it. */
const problems: FileDiagnostics[] = Array.from({ length: sizes.files }, (_, file) => ({
  uri: `file:///ws/src/file${file}.ts`,
  diagnostics: Array.from({ length: 5 }, (_unused, line) => ({
    message: `Type 'string' is not assignable to type 'number' (${line}).`,
    severity: 'Error' as const,
    range: { start: { line, character: 0 }, end: { line, character: 10 } },
    source: 'ts',
    code: '2322',
  })),
}));
const tabs = Array.from({ length: sizes.tabs }, (_, index) => ({
  uri: `file:///ws/${index}.ts`,
  isActive: false,
}));

const tools = [
  defineTool({ name: 'hello', description: '', input: z.object({}), run: () => text('hello') }),
  defineTool({ name: 'tabs', description: '', input: z.object({}), run: () => json({ tabs }) }),
  openDiff({
    // A user who decides at once, one way or the other.
    review: async ({ proposedText }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return /[02468]\n$/.test(proposedText)
        ? { kind: 'rejected' }
        : { kind: 'accepted', finalText: proposedText };
    },
  }),
  getDiagnostics(
    {
      all: () => problems,
      of: (uri) => ({ uri, diagnostics: [] }),
      learn: () => Promise.resolve(),
      watch: (uri) => ({
        before: Promise.resolve({ uri, diagnostics: [] }),
        arrived: () => Promise.resolve(),
        dispose: () => {},
      }),
      activeUri: undefined,
    },
    { willEdit: () => {} },
  ),
];

async function connectAll(
  bridges: TestBridges,
  bridge: Bridge,
  lock: Lock,
  count: number,
): Promise<IdeClient[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => bridges.connect(lock)));
  await until('the sessions', () => bridge.sessions.size === count);
  return clients;
}

async function manyCalls(clients: IdeClient[]): Promise<void> {
  const times: number[] = [];
  let answered = 0;
  const each = sizes.calls / clients.length;
  const begin = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (let i = 0; i < each; i++) {
        const start = performance.now();
        const [answer] = await client.callForTexts('hello');
        times.push(performance.now() - start);
        answered += answer === 'hello' ? 1 : 0;
        forget(client);
      }
    }),
  );
  const rate = Math.round((sizes.calls / (performance.now() - begin)) * 1000);
  check(
    `calls answered by ${clients.length} clients at once`,
    answered === sizes.calls,
    `${answered} of ${sizes.calls}, ${rate} a second`,
  );
  console.log(`     p50 ${percentile(times, 50)} ms, p99 ${percentile(times, 99)} ms with every client busy`);
}

async function manyProposals(client: IdeClient): Promise<void> {
  let accepted = 0;
  let rejected = 0;
  for (let i = 0; i < sizes.proposals; i++) {
    const new_file_contents = `line ${i}\n`.repeat(1 + (i % 20));
    const [verdict, finalText] = await client.callForTexts('openDiff', {
      old_file_path: '/ws/a.ts',
      new_file_path: '/ws/a.ts',
      new_file_contents,
      tab_name: `a.ts (${i})`,
    });
    accepted += verdict === 'FILE_SAVED' && finalText === new_file_contents ? 1 : 0;
    rejected += verdict === 'DIFF_REJECTED' ? 1 : 0;
    forget(client);
  }
  check(
    'proposals answered',
    accepted + rejected === sizes.proposals,
    `${accepted} accepted, ${rejected} rejected`,
  );
}

async function largeAnswers(heavy: IdeClient[], light: IdeClient): Promise<void> {
  let running = true;
  const times: number[] = [];
  const measuring = (async () => {
    while (running) {
      const start = performance.now();
      await light.callForTexts('hello');
      times.push(performance.now() - start);
      forget(light);
    }
  })();
  let complete = 0;
  for (let round = 0; round < 20 * scale + 1; round++) {
    await Promise.all(
      heavy.map(async (client) => {
        const files = await client.callForJson<FileDiagnostics[]>('getDiagnostics');
        const open = await client.callForJson<{ tabs: unknown[] }>('tabs');
        complete += files.length === sizes.files && open.tabs.length === sizes.tabs ? 1 : 0;
        forget(client);
      }),
    );
  }
  running = false;
  await measuring;
  const expected = heavy.length * Math.ceil(20 * scale + 1);
  check('answers with 10,000 diagnostics and 500 tabs', complete === expected, `${complete} of ${expected}`);
  console.log(
    `     another client meanwhile: p50 ${percentile(times, 50)} ms, p99 ${percentile(times, 99)} ms`,
  );
}

async function clientsThatNeverRead(
  bridges: TestBridges,
  bridge: Bridge,
  lock: Lock,
  light: IdeClient,
): Promise<void> {
  const before = bridge.sessions.size;
  const deaf = await Promise.all(Array.from({ length: 3 }, () => bridges.connect(lock)));
  // A session counts once the bridge has read its handshake: else none is there yet, and all seem to be cut off.
  await until('them to be there', () => bridge.sessions.size === before + deaf.length);
  for (const client of deaf) {
    client.socket.pause();
    for (let i = 0; i < 200; i++) {
      client.start('tools/call', { name: 'getDiagnostics' });
    }
  }
  await until('them to be cut off', () => bridge.sessions.size === before, 120_000);
  check(
    'clients that never read are cut off, others are served',
    (await light.callForTexts('hello'))[0] === 'hello',
    deaf.length,
  );
}

async function blockedLoop(bridge: Bridge, light: IdeClient): Promise<void> {
  const before = bridge.sessions.size;
  const waiting = light.callForTexts('hello');
  const end = Date.now() + 5_000;
  while (Date.now() < end) {
    // as an extension that computes
  }
  await waiting;
  check('sessions that survive an event loop blocked for 5 s', bridge.sessions.size === before, before);
}

async function clockJumps(bridges: TestBridges): Promise<void> {
  const now = Date.now;
  const { bridge, lock } = await bridges.start({ identityFile: join(bridges.root, 'clock.json') });
  Date.now = () => now() - 10_000;
  await bridge.restart();
  Date.now = now;
  const after = bridges.lock();
  check(
    'a clock set back 10 s keeps port and token',
    after.port === lock.port && after.authToken === lock.authToken,
    'same',
  );
  await bridge.stop();
}

/** Needs root, for a file system of one page. */
async function fullDisk(): Promise<void> {
  const bridges = new TestBridges();
  fs.mkdirSync(bridges.lockDir, { mode: 0o700 });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k,mode=700', 'tmpfs', bridges.lockDir], {
      stdio: 'ignore',
    });
  } catch {
    console.log('skip disk full: no file system can be mounted here');
    await bridges.cleanUp();
    return;
  }
  try {
    const filler = join(bridges.lockDir, 'filler');
    fs.writeFileSync(filler, 'x'.repeat(4096));
    const bridge = bridges.create({ checkInterval: 100 });
    await bridge.start();
    const message = bridge.state.kind === 'failed' ? bridge.state.error.message : '';
    check(
      'a full disk is a failed start that says so',
      message.includes('Free some disk space'),
      message.slice(-60),
    );
    check(
      'and leaves no half-written file',
      fs.readdirSync(bridges.lockDir).join() === 'filler',
      'filler only',
    );
    fs.rmSync(filler);
    await until('the bridge', () => bridge.state.kind === 'listening');
    const client = await bridges.connect(bridges.lock());
    check('it heals when there is space', (await client.callForTexts('hello'))[0] === 'hello', 'connected');
    await bridge.stop();
  } finally {
    execFileSync('umount', [bridges.lockDir]);
    await bridges.cleanUp();
  }
}

/** The client keeps everything that it has seen. */
function forget(client: IdeClient): void {
  client.received.length = 0;
  client.transcript.length = 0;
}

function percentile(times: number[], percent: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length * percent) / 100)] ?? 0).toFixed(2);
}

async function main(): Promise<number> {
  const begin = performance.now();
  const bridges = new TestBridges();
  try {
    await clockJumps(bridges);
    const { bridge, lock } = await bridges.start({ tools: new ToolRegistry(tools, bridges.log) });
    const warm = await bridges.connect(lock);
    await warm.callForTexts('getDiagnostics');
    await warm.close();
    const memory = await memoryInUse();

    const clients = await connectAll(bridges, bridge, lock, sizes.clients);
    const [light, ...others] = clients;
    if (!light) {
      throw new Error('No client');
    }
    await manyCalls(clients);
    await manyProposals(light);
    await largeAnswers(others.slice(0, 5), light);
    await clientsThatNeverRead(bridges, bridge, lock, light);
    await blockedLoop(bridge, light);

    await Promise.all(clients.map((client) => client.close()));
    await until('no session', () => bridge.sessions.size === 0);
    clients.length = 0;
    bridges.forgetSockets();
    bridges.log.lines.length = 0;
    const grown = (await memoryInUse()) - memory;
    check('memory is back', grown < 16 * megabyte, `${(grown / megabyte).toFixed(1)} MB more in use`);
  } finally {
    await bridges.cleanUp();
  }
  await fullDisk();
  console.log(`${Math.round((performance.now() - begin) / 1000)} s`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
