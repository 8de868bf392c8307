import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Bridge, type BridgeOptions } from '../../src/server/bridge.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { defineTool, text } from '../../src/tools/tool.ts';
import { findLocks, IdeClient, type Lock } from './ideClient.ts';
import { MemoryLog } from './memoryLog.ts';

export const hello = defineTool({
  name: 'hello',
  description: '',
  input: z.object({}),
  run: () => text('hello'),
});

/** Real bridges on real sockets, with a configuration folder of their own; all gone after `cleanUp`. */
export class TestBridges {
  readonly lockDir: string;
  readonly log = new MemoryLog();
  folders = ['/ws'];
  private readonly bridges: Bridge[] = [];
  private readonly sockets: Socket[] = [];
  private readonly clients: IdeClient[] = [];

  constructor(readonly root = fs.mkdtempSync(join(tmpdir(), 'ide-bridge-'))) {
    this.lockDir = join(root, 'ide');
  }

  /** Its one tool is called hello. */
  create(options: Partial<BridgeOptions> = {}): Bridge {
    const bridge = new Bridge({
      lockDir: this.lockDir,
      identityFile: join(this.root, 'storage', 'bridge.json'),
      editorPid: process.pid,
      ideName: 'Test Editor',
      workspaceFolders: () => this.folders,
      serverInfo: { name: 'test', title: 'Test', version: '1.0.0' },
      tools: new ToolRegistry([hello], this.log),
      log: this.log,
      ...options,
    });
    this.bridges.push(bridge);
    return bridge;
  }

  async start(options?: Partial<BridgeOptions>): Promise<{ bridge: Bridge; lock: Lock }> {
    const bridge = this.create(options);
    await bridge.start();
    assert.equal(bridge.state.kind, 'listening');
    return { bridge, lock: this.lock() };
  }

  /** The only lock file that there is. */
  lock(): Lock {
    const [lock, ...others] = findLocks(this.root);
    assert.ok(lock, 'no lock file');
    assert.deepEqual(others, []);
    return lock;
  }

  /** @param pid of the client; this process by default */
  async connect({ port, authToken }: Lock, pid = process.pid): Promise<IdeClient> {
    const client = await IdeClient.connect({ port, token: authToken, pid });
    this.clients.push(client);
    return client;
  }

  /** A bare connection. */
  socket({ port }: Lock): Socket {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}); // 'close' follows
    this.sockets.push(socket);
    return socket;
  }

  /** A bare connection that is a WebSocket by now: what is written to it are frames. */
  async upgradedSocket(lock: Lock): Promise<Socket> {
    const socket = this.socket(lock);
    socket.write(upgradeRequest(lock));
    const head = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString('latin1'))),
    );
    assert.match(head, /^HTTP\/1\.1 101 /);
    return socket;
  }

  /** So that the test itself does not keep them in memory. */
  forgetSockets(): void {
    this.clients.length = 0;
    this.sockets.length = 0;
  }

  async cleanUp(): Promise<void> {
    await Promise.all(this.bridges.splice(0).map((bridge) => bridge.stop()));
    this.clients.forEach(({ socket }) => socket.terminate());
    this.sockets.forEach((socket) => socket.destroy());
    this.forgetSockets();
    fs.rmSync(this.root, { recursive: true, force: true });
  }
}

/** The request of a client that may come in, letter by letter; `changes` replace header lines, null removes one. */
export function upgradeRequest(
  { port, authToken }: Lock,
  changes: Record<string, string | null> = {},
  extraLines: string[] = [],
  requestLine = 'GET / HTTP/1.1',
): string {
  const headers: Record<string, string | null> = {
    Host: `127.0.0.1:${port}`,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol': 'mcp',
    'X-Claude-Code-Ide-Authorization': authToken,
    ...changes,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  );
  return `${[requestLine, ...lines, ...extraLines].join('\r\n')}\r\n\r\n`;
}
