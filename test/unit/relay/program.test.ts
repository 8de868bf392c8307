import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type WebSocket, WebSocketServer } from 'ws';
import { until } from '../../support/until.ts';

interface Message {
  id?: number;
  method?: string;
  params?: { isBad?: boolean };
  result?: { window?: string; instructions?: string };
  error?: { message: string };
}

/** What the program connects to: says its name to whatever it is asked, but for `isBad`; takes one token only. */
class FakeWindow {
  readonly heard: string[] = [];
  /** Which makes it hang up. */
  static readonly deadly = 'prompts/list';
  private readonly sockets: WebSocket[] = [];
  private constructor(
    private readonly server: WebSocketServer,
    private readonly lock: string,
  ) {}

  static async open(
    name: string,
    folder: string,
    locks: string,
    token: string,
    port = 0,
  ): Promise<FakeWindow> {
    const server = new WebSocketServer({
      host: '127.0.0.1',
      port,
      verifyClient: ({ req }: { req: { headers: Record<string, unknown> } }) =>
        req.headers['x-claude-code-ide-authorization'] === token,
    });
    await once(server, 'listening');
    const lock = join(locks, `${(server.address() as AddressInfo).port}.lock`);
    const window = new FakeWindow(server, lock);
    server.on('connection', (socket) => {
      window.sockets.push(socket);
      socket.on('message', (data: Buffer) => {
        const { id, method, params } = JSON.parse(data.toString()) as Message;
        window.heard.push(method ?? '');
        if (method === FakeWindow.deadly) {
          socket.terminate();
        } else if (id !== undefined) {
          const answer = params?.isBad
            ? { error: { code: 1, message: 'bad' } }
            : { result: { window: name } };
          socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
        }
      });
    });
    const content = {
      pid: process.pid,
      workspaceFolders: [folder],
      ideName: name,
      transport: 'ws',
      runningInWindows: false,
      authToken: token,
      bridge: 'ide-bridge-for-claude-code',
    };
    writeFileSync(lock, JSON.stringify(content));
    return window;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    rmSync(this.lock, { force: true });
    this.sockets.forEach((socket) => socket.terminate());
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }
}

describe('the program for clients of stdio', function () {
  this.timeout(30_000);
  let root: string;
  let locks: string;
  let program: ChildProcess | undefined;
  let answers: Interface | undefined;
  const answered: Message[] = [];
  const windows: FakeWindow[] = [];

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'relay-')));
    locks = join(root, 'config', 'ide');
    ['app/src', 'app/packages/web/src', 'config/ide'].forEach((folder) =>
      mkdirSync(join(root, folder), { recursive: true }),
    );
  });
  afterEach(async () => {
    if (program && program.exitCode === null) {
      const ended = once(program, 'exit');
      program.kill();
      await ended;
    }
    answers?.close();
    await Promise.all(windows.splice(0).map((window) => window.close()));
    answered.length = 0;
    rmSync(root, { recursive: true });
  });

  const open = async (...args: Parameters<typeof FakeWindow.open>) => {
    const window = await FakeWindow.open(...args);
    windows.push(window);
    return window;
  };

  function startIn(folder: string, env: Readonly<Record<string, string>> = {}): void {
    const file = fileURLToPath(new URL('../../../src/relay/main.ts', import.meta.url));
    const loader = new URL('../../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;
    program = spawn(process.execPath, ['--import', loader, file], {
      cwd: join(root, folder),
      env: { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: join(root, 'config'), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    assert.ok(program.stdout);
    answers = createInterface({ input: program.stdout });
    answers.on('line', (line) => answered.push(JSON.parse(line) as Message));
    program.stderr?.resume();
  }

  async function ask(id: number, method: string, params: object = {}): Promise<string | undefined> {
    program?.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const found = await until(method, () => answered.find((each) => each.id === id), 20_000);
    return found.result?.window ?? found.result?.instructions ?? found.error?.message;
  }

  it('talks to the window of the folder in which it is started, of two with one in the other', async () => {
    const outer = await open('outer', join(root, 'app'), locks, 'one');
    const inner = await open('inner', join(root, 'app/packages/web'), locks, 'two');
    startIn('app/packages/web/src');
    assert.equal(await ask(1, 'initialize'), 'inner');
    assert.deepEqual([outer.heard, inner.heard], [[], ['initialize']]);
  });

  it('finds the window again that has another token by now, and says initialize for its client', async () => {
    await open('other', join(root, 'app/packages/web'), locks, 'none');
    const first = await open('first', join(root, 'app'), locks, 'one');
    startIn('app/src');
    assert.equal(await ask(1, 'initialize'), 'first');
    const { port } = first;
    await windows.pop()?.close();
    const second = await open('second', join(root, 'app'), locks, 'two', port);
    assert.equal(await ask(2, 'tools/list'), 'second');
    assert.deepEqual(second.heard, ['initialize', 'notifications/initialized', 'tools/list']);
  });

  it('goes to the window of its terminal', async () => {
    const here = await open('here', join(root, 'app/packages'), locks, 'one');
    await open('there', join(root, 'app'), locks, 'two');
    startIn('app/src', { CLAUDE_CODE_SSE_PORT: String(here.port) });
    assert.equal(await ask(1, 'initialize'), 'here');
  });

  it('does not ask for ever what makes the window hang up', async () => {
    const window = await open('window', join(root, 'app'), locks, 'one');
    startIn('app/src');
    assert.equal(await ask(1, 'initialize'), 'window');
    assert.match((await ask(2, FakeWindow.deadly)) ?? '', /went away/);
    assert.equal(window.heard.filter((method) => method === FakeWindow.deadly).length, 2);
    assert.equal(await ask(3, 'tools/list'), 'window');
  });

  it('says again the initialize that the window has taken, not one that it has refused', async () => {
    const first = await open('first', join(root, 'app'), locks, 'one');
    startIn('app/src');
    assert.equal(await ask(1, 'initialize'), 'first');
    assert.equal(await ask(2, 'initialize', { isBad: true }), 'bad');
    const { port } = first;
    await windows.pop()?.close();
    await open('second', join(root, 'app'), locks, 'two', port);
    assert.equal(await ask(3, 'tools/list'), 'second');
  });

  it('takes each line that is JSON, answers one that is none, and the last without its end', async () => {
    await open('window', join(root, 'app'), locks, 'one');
    startIn('app/src');
    program?.stdin?.write('{"jsonrpc"\n\n');
    const refusal = await until('the refusal', () => answered[0], 20_000);
    assert.match(refusal.error?.message ?? '', /JSON/);
    assert.equal(await ask(1, 'initialize', { text: 'a\u2028b\u2029c' }), 'window');
    program?.stdin?.end('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
    await until('the last answer', () => answered.find(({ id }) => id === 2), 20_000);
    assert.equal(answered.length, 3);
  });

  it('goes on where nobody reads what it says to people', async () => {
    startIn('app/src');
    program?.stderr?.destroy();
    assert.match((await ask(1, 'initialize')) ?? '', /No editor window/);
    await open('window', join(root, 'app'), locks, 'one');
    assert.equal(await ask(2, 'initialize'), 'window');
  });

  it('takes no window for the one that has left its lock file behind, as in a crash', async () => {
    for (const folder of ['app', 'app/packages/web']) {
      const gone = await FakeWindow.open('gone', join(root, folder), locks, 'one');
      const lock = join(locks, `${gone.port}.lock`);
      const left = readFileSync(lock);
      await gone.close();
      writeFileSync(lock, left);
    }
    startIn('app/packages/web/src');
    assert.match((await ask(1, 'initialize')) ?? '', /^No editor window has .* open\. Is it running/);
    await open('there', join(root, 'app'), locks, 'two');
    assert.equal(await ask(2, 'initialize'), 'there');
  });
});
