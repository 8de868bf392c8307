import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWanted } from '../src/records/entries.ts';
import type { RecordedSession } from '../src/records/recordedSession.ts';
import { Records } from '../src/records/records.ts';
import { cwd, linesOf, recorded, slug } from '../test/unit/records/fixtures.ts';
import { megabytes, percent, quantile, row, spread, timed } from './figures.ts';

const version = '2.1.330';
const { sessionId } = recorded[version];

/** Reading what the CLI writes about its sessions, of which a long one has written 1 GB. */
export async function benchRecords(): Promise<void> {
  const configDir = fs.mkdtempSync(join(tmpdir(), 'ide-bridge-bench-'));
  const path = join(configDir, 'projects', slug, `${sessionId}.jsonl`);
  fs.mkdirSync(join(configDir, 'sessions'));
  fs.mkdirSync(join(path, '..'), { recursive: true });
  const file = { pid: process.pid, sessionId, cwd, version, status: 'idle' };
  fs.writeFileSync(join(configDir, 'sessions', `${process.pid}.json`), JSON.stringify(file));
  const bare = await restingShare();
  const records = new Records({ configDir, log: console });
  records.start();
  try {
    writeTranscript(path, 2 ** 30);
    const times: number[] = [];
    let session: RecordedSession | undefined;
    for (let i = 0; i < 10; i++) {
      session?.dispose();
      const next = records.attach({ pid: process.pid });
      times.push(await timed(() => next.ready));
      session = next;
    }
    const known = session?.turn?.prompt === 'plan it';
    const size = megabytes(fs.statSync(path).size);
    row(
      `attach to a transcript of ${size}`,
      spread(times),
      known && Math.max(...times) < 200,
      'under 200 ms',
    );
    if (session) {
      const share = await restingShare();
      const figure = `${percent(share)} of a core, ${percent(bare)} before`;
      row('CPU at rest, attached', figure, share - bare < 0.002, 'within 0.2 %');
      await benchLines(session, path);
      session.dispose();
    }
  } finally {
    records.dispose();
    fs.rmSync(configDir, { recursive: true, force: true });
  }
}

/** What the CLI has written of one session, again and again. */
function writeTranscript(path: string, bytes: number): void {
  const once = `${asWritten().join('\n')}\n`;
  const many = Buffer.from(once.repeat(Math.ceil(2 ** 24 / once.length)));
  const file = fs.openSync(path, 'w');
  for (let written = 0; written < bytes; written += many.length) {
    fs.writeSync(file, many);
  }
  fs.closeSync(file);
}

/** The recorded lines with what was left out of them, in its sizes: requests and prompts of the CLI's own. */
function asWritten(): string[] {
  const text = (length: number) => 'the words of a system prompt, '.repeat(length / 30);
  const attachment = (length: number) =>
    JSON.stringify({
      parentUuid: 'x',
      attachment: { type: 'prompt_snapshot', text: text(length) },
      type: 'attachment',
    });
  const shape = JSON.stringify({ type: 'api-request-shape', sessionId, shape: { system: text(43_000) } });
  const requests = Array.from({ length: 30 }, () =>
    JSON.stringify({ type: 'api-request', params: text(1_300) }),
  );
  const lines = linesOf(version);
  return [...[64_000, 14_000, 8_000, 6_000].map(attachment), shape, ...requests, ...lines];
}

/** Each turn by turn with the least that could be done: to read the same bytes and parse every line. */
async function benchLines(session: RecordedSession, path: string): Promise<void> {
  for (const [what, lines, limit] of [
    ['as they are written', asWritten(), 3],
    ['that are all asked for', linesOf(version).filter((line) => isWanted(Buffer.from(line))), 6],
  ] as const) {
    const text = `${lines.join('\n')}\n`;
    let told = 0;
    const listening = session.onDidHappen(() => told++);
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let i = 0; i < 300; i++) {
      const from = fs.statSync(path).size;
      fs.appendFileSync(path, text);
      const start = performance.now();
      await session.refresh();
      ours.push((performance.now() - start) / lines.length);
      bare.push((await timed(async () => readBare(path, from))) / lines.length);
    }
    listening.dispose();
    const ratio = quantile(ours, 0.1) / quantile(bare, 0.1); // what others do on the machine is in the rest
    row(`appended lines ${what}, each`, `${micro(ours)}, bare read and JSON.parse ${micro(bare)}`);
    row('ratio at p10', ratio.toFixed(2), ratio <= limit && told > 0, `at most ${limit}`);
  }
}

function readBare(path: string, from: number): unknown[] {
  const file = fs.openSync(path, 'r');
  const bytes = Buffer.allocUnsafe(fs.fstatSync(file).size - from);
  fs.readSync(file, bytes, 0, bytes.length, from);
  fs.closeSync(file);
  return bytes
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

/** The quietest of some seconds: the collector and the loader of this script run when they like. */
async function restingShare(): Promise<number> {
  const shares: number[] = [];
  for (let i = 0; i < 5; i++) {
    const [before, start] = [process.cpuUsage(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { user, system } = process.cpuUsage(before);
    shares.push((user + system) / 1_000 / (performance.now() - start));
  }
  return Math.min(...shares);
}

function micro(times: number[]): string {
  return `${(quantile(times, 0.5) * 1_000).toFixed(1)} µs`;
}
