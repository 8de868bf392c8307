import { type ChildProcessByStdio, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { CliConversation } from '../src/agent/cliConversation.ts';
import { Conversation, type Update } from '../src/agent/conversation.ts';
import { History } from '../src/agent/history.ts';
import { JsonLines } from '../src/server/jsonLines.ts';
import { parseMessage } from '../src/agent/messages.ts';
import { cliArguments, cliEnvironment } from '../src/agent/options.ts';
import { PastSessions } from '../src/records/pastSessions.ts';
import { AgentDesk, cliOf, saidIn } from '../test/e2e/agent/agentDesk.ts';
import { text, type Turn } from '../test/e2e/mockApi.ts';
import { linesOf } from '../test/unit/records/fixtures.ts';
import { until } from '../test/support/until.ts';
import { megabytes, ms, quantile, row, spread, timed } from './figures.ts';

export const version = '2.1.330';

/** The agent engine, beside the least that could be done without it. */
export async function benchAgent(): Promise<void> {
  await benchEvents();
  await benchAttach();
  await benchHistory();
  await benchFirstToken();
}

/** What the CLI prints while a model writes. */
function eventLines(count: number): Buffer {
  const lines = [];
  const event = (inner: object) =>
    JSON.stringify({
      type: 'stream_event',
      event: inner,
      parent_tool_use_id: null,
      session_id: '9f2d1f0e-0000-4000-8000-000000000000',
      uuid: '1b4e28ba-2fa1-11d2-883f-0016d3cca427',
    });
  for (let at = 0; at < count; at += 1_000) {
    lines.push(
      event({ type: 'message_start', message: { id: `msg_${at}`, role: 'assistant', content: [] } }),
    );
    lines.push(event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }));
    for (let delta = 0; delta < 996; delta++) {
      const said = { type: 'text_delta', text: 'some words, ' };
      lines.push(event({ type: 'content_block_delta', index: 0, delta: said }));
    }
    lines.push(event({ type: 'content_block_stop', index: 0 }), event({ type: 'message_stop' }));
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

async function benchEvents(): Promise<void> {
  const count = 100_000;
  const bytes = eventLines(count);
  const [ours, bare]: [number[], number[]] = [[], []];
  let shown = 0;
  for (let i = 0; i < 5; i++) {
    const conversation = new Conversation();
    const told = new CliConversation(conversation);
    const surface = conversation.attach(() => void shown++);
    ours.push(
      await timed(() =>
        feed(bytes, (json) => {
          const message = parseMessage(json);
          if (message) {
            told.take(message, json);
          }
        }),
      ),
    );
    surface.dispose();
    bare.push(await timed(() => feed(bytes, () => undefined)));
  }
  const ratio = quantile(ours, 0.5) / quantile(bare, 0.5);
  row(`${count} stream events, one surface`, `${spread(ours)}, only parsed ${spread(bare)}`);
  row('ratio', ratio.toFixed(2), ratio < 10 && shown > 0, 'under 10');
}

/** In the pieces in which a pipe hands it over, with what else there is to do in between. */
async function feed(bytes: Buffer, take: (json: unknown) => void): Promise<void> {
  const lines = new JsonLines({
    onJson: take,
    onUnreadable: (line) => {
      throw new Error(`unreadable: ${line}`);
    },
  });
  for (let at = 0; at < bytes.length; at += 65_536) {
    lines.push(bytes.subarray(at, at + 65_536));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function benchAttach(): Promise<void> {
  const conversation = new Conversation();
  for (let index = 0; index < 10_000; index++) {
    const item = { id: `${index}`, kind: 'text', text: 'some words '.repeat(20), state: 'done' } as const;
    conversation.apply({ type: 'add', item });
  }
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    let update: Update | undefined;
    const start = performance.now();
    const surface = conversation.attach((each) => {
      update = JSON.parse(JSON.stringify(each)) as Update; // as it crosses to a webview
    });
    await until('the snapshot', () => update);
    times.push(performance.now() - start);
    surface.dispose();
  }
  row('attach to a conversation of 10,000 items', spread(times), quantile(times, 0.5) < 100, 'under 100 ms');
}

/** The middle of each transcript is a hole on the disk, which is as long to read as text would be. */
async function benchHistory(): Promise<void> {
  const projects = fs.mkdtempSync(join(tmpdir(), 'ide-bridge-bench-'));
  try {
    const lines = linesOf(version);
    const [head, tail] = [lines.slice(0, -5), lines.slice(-5)].map((part) => `${part.join('\n')}\n`);
    const size = 10 * 1024 * 1024;
    for (let index = 0; index < 1_000; index++) {
      const folder = join(projects, `folder ${index % 20}`);
      fs.mkdirSync(folder, { recursive: true });
      const sessionId = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
      const path = join(folder, `${sessionId}.jsonl`);
      const own = (part = '') => part.replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"${sessionId}"`);
      fs.writeFileSync(path, own(head));
      fs.truncateSync(path, size);
      fs.appendFileSync(path, `\n${own(tail)}`);
    }
    const history = new History(new PastSessions(projects), () => Promise.resolve());
    const first = await timed(() => history.list());
    const [again, sessions] = [await timed(() => history.list()), await history.list()];
    const what = `list 1,000 sessions of ${megabytes(size)}`;
    row(`${what}, the first time`, ms(first), sessions.length === 1_000 && first < 2_000, 'under 2 s');
    row(`${what}, again`, ms(again), again < 100, 'under 100 ms');
  } finally {
    fs.rmSync(projects, { recursive: true });
  }
}

/** From a prompt to the model's first word, of a CLI that runs: by the engine, and on the bare pipes. */
async function benchFirstToken(): Promise<void> {
  const desk = await AgentDesk.open(version);
  const bareCli = await BareCli.start();
  try {
    const session = await desk.session();
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 12; turn++) {
      const own = `engine ${turn}`;
      desk.api.script([text(own)]);
      const start = performance.now();
      session.prompt('say it');
      await new Promise<void>((resolve) => {
        const surface = session.conversation.attach(() => {
          if (saidIn(session).some((said) => own.startsWith(said) && said !== '')) {
            surface.dispose();
            resolve();
          }
        });
      });
      ours.push(performance.now() - start);
      await until('the turn to end', () => session.state === 'idle');
      bare.push(await bareCli.firstToken(`bare ${turn}`));
    }
    // The first of each starts the process or warms it up.
    const [engine, pipes] = [ours.slice(2), bare.slice(2)];
    const overhead = quantile(engine, 0.5) - quantile(pipes, 0.5);
    row('prompt → first token, engine', `${spread(engine)}, bare CLI ${spread(pipes)}`);
    row('overhead', ms(overhead), overhead < 50, 'under 50 ms');
  } finally {
    await bareCli.close();
    await desk.close();
  }
}

/** A CLI that is asked on its pipes, with the arguments that the engine gives it, and a model of its own. */
export class BareCli {
  private readonly lines: AsyncIterator<string>;

  private constructor(
    private readonly desk: AgentDesk,
    private readonly cli: ChildProcessByStdio<Writable, Readable, null>,
  ) {
    this.lines = createInterface({ input: cli.stdout })[Symbol.asyncIterator]();
  }

  static async start(): Promise<BareCli> {
    const desk = await AgentDesk.open(version);
    const cli = await cliOf(version);
    const options = desk.options();
    return new BareCli(
      desk,
      spawn(cli.program, [...cli.programArgs, ...cliArguments(cli, options).args], {
        cwd: desk.folder,
        env: cliEnvironment(cli, options),
        stdio: ['pipe', 'pipe', 'ignore'],
      }),
    );
  }

  get folder(): string {
    return this.desk.folder;
  }

  /** @param words what the model says @returns ms until it begins to; reads on until the turn has ended */
  firstToken(words: string): Promise<number> {
    return this.turn([text(words)]);
  }

  /** @returns ms until the model says a first word; reads on until the turn has ended */
  async turn(turns: readonly Turn[]): Promise<number> {
    this.desk.api.script([...turns]);
    const start = performance.now();
    let first: number | undefined;
    const message = { role: 'user', content: [{ type: 'text', text: 'say it' }] };
    const prompt = { type: 'user', message, parent_tool_use_id: null, session_id: '' };
    this.cli.stdin.write(`${JSON.stringify(prompt)}\n`);
    for (let next; (next = await this.lines.next()).done !== true;) {
      if (next.value.includes('"text_delta"')) {
        first ??= performance.now();
      } else if (next.value.includes('"type":"result"')) {
        break;
      }
    }
    return (first ?? NaN) - start;
  }

  async close(): Promise<void> {
    this.cli.kill();
    await this.desk.close();
  }
}
