// A client of the IDE protocol, as the CLI is one: finds the lock file, connects, calls tools, listens.
// It knows nothing of this extension, so that authors of other editors can check their servers with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';

export interface Lock {
  port: number;
  path: string;
  pid: number;
  workspaceFolders: string[];
  ideName: string;
  transport: string;
  authToken: string;
}

export interface Content {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
}

export interface ToolResult {
  content: Content[];
  isError?: boolean;
}

export interface Message {
  jsonrpc: '2.0';
  id?: number | string | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** The server answered with a JSON-RPC error. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Every readable lock in `<config dir>/ide`. */
export function findLocks(configDir: string): Lock[] {
  const dir = join(configDir, 'ide');
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const port = /^(\d+)\.lock$/.exec(name)?.[1];
    if (port === undefined) {
      return [];
    }
    try {
      const path = join(dir, name);
      return [{ ...(JSON.parse(readFileSync(path, 'utf8')) as Lock), port: Number(port), path }];
    } catch {
      return []; // removed or half written meanwhile
    }
  });
}

export interface ConnectOptions {
  port: number;
  token: string;
  /** What `ide_connected` says; this process by default. */
  pid?: number;
  protocolVersion?: string;
}

export class IdeClient {
  /** Everything received, oldest first. */
  readonly received: Message[] = [];
  /** Everything in both directions, oldest first. */
  readonly transcript: { from: 'client' | 'server'; message: unknown }[] = [];
  readonly closed: Promise<number>;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private nextId = 0;

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => socket.once('close', (code) => resolve(code)));
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as Message;
      this.received.push(message);
      this.transcript.push({ from: 'server', message });
      if (message.method === undefined && typeof message.id === 'number') {
        this.waiting.get(message.id)?.(message);
        this.waiting.delete(message.id);
      }
    });
    socket.on('error', () => {}); // 'close' follows
  }

  /** Opens the socket only: no `initialize` yet. @throws when the server refuses the upgrade. */
  static async open({ port, token }: ConnectOptions): Promise<IdeClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, ['mcp'], {
      headers: { 'x-claude-code-ide-authorization': token },
      maxPayload: 256 * 1024 * 1024,
    });
    const client = new IdeClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return client;
  }

  /** Opens the socket and goes through the handshake as the newest CLI does. */
  static async connect(options: ConnectOptions): Promise<IdeClient> {
    const client = await IdeClient.open(options);
    await client.request('initialize', {
      protocolVersion: options.protocolVersion ?? '2025-11-25',
      capabilities: { roots: { listChanged: true }, elicitation: {} },
      clientInfo: { name: 'claude-code', title: 'Claude Code', version: '2.1.330' },
    });
    client.notify('notifications/initialized');
    client.notify('ide_connected', { pid: options.pid ?? process.pid });
    return client;
  }

  notify(method: string, params?: object): void {
    this.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** @throws RpcError when the answer is an error, and when the connection closes first. */
  async request(method: string, params?: object): Promise<unknown> {
    return this.start(method, params).answer;
  }

  /** Sends a request, and tells its id before the answer is there. */
  start(method: string, params?: object): { id: number; answer: Promise<unknown> } {
    const id = this.nextId++;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.waiting.set(id, ({ result, error }) =>
        error ? reject(new RpcError(error.code, error.message)) : resolve(result),
      );
      void this.closed.then((code) =>
        reject(new Error(`The connection closed (${code}) before ${method} was answered.`)),
      );
    });
    answer.catch(() => {}); // a caller may never look at it
    this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return { id, answer };
  }

  /** Calls a tool. */
  async call(name: string, args: object = {}, meta?: object): Promise<ToolResult> {
    const params = { name, arguments: args, ...(meta && { _meta: meta }) };
    return (await this.request('tools/call', params)) as ToolResult;
  }

  /** The texts of a tool's answer. */
  async callForTexts(name: string, args: object = {}): Promise<string[]> {
    const { content } = await this.call(name, args);
    return content.map(({ text }) => text ?? '');
  }

  /** The JSON that a tool answers as one text. */
  async callForJson<T>(name: string, args: object = {}): Promise<T> {
    const [text] = await this.callForTexts(name, args);
    return JSON.parse(text ?? '') as T;
  }

  /** Params of the notifications of one kind, oldest first. */
  notifications<T>(method: string): T[] {
    return this.received.filter((message) => message.method === method).map(({ params }) => params as T);
  }

  close(): Promise<number> {
    this.socket.close();
    return this.closed;
  }

  private send(message: object): void {
    this.transcript.push({ from: 'client', message });
    this.socket.send(JSON.stringify(message));
  }
}
