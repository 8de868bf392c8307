import * as z from 'zod/mini';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { printable } from '../base/printable.ts';
import { ideConnectedParams, type Notifications } from '../protocol/ide.ts';
import {
  classify,
  ErrorCode,
  failure,
  JsonRpcError,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type Params,
  type RequestId,
} from '../protocol/jsonRpc.ts';
import {
  callToolParams,
  cancelledParams,
  initializeParams,
  negotiateVersion,
  type ToolDefinition,
  type ToolResult,
} from '../protocol/mcp.ts';
import { Proposer } from './proposer.ts';
import type { Transport } from './transport.ts';

export interface ServerInfo {
  name: string;
  title: string;
  version: string;
}

/** What left the editor, exactly: the params of a notification, or the result of a tool. */
export interface Told {
  what: string;
  payload: object;
}

const maxCallsInFlight = 256;
const maxBatch = 100;
/** In one second; the busiest CLI sends some dozens. Each message of a batch counts. */
const maxMessages = 10_000;
/** A client that has not said `initialize` this many ms after the upgrade is dropped. */
const initializeTimeout = 30_000;

export interface Exchange {
  from: 'client' | 'bridge';
  message: unknown;
}

/** What a tool learns about the call besides its arguments. */
export interface ToolCall {
  readonly session: Session;
  /** Aborted when the client cancels the request or goes away. */
  readonly signal: AbortSignal;
  /** Of the model, as the client says; undefined where the CLI makes the call by itself, as it does with most. 1.0 never says it. */
  readonly toolUseId: string | undefined;
  /** Tells the client that the call goes on, if it has asked for that: some wait for a minute only. */
  readonly tellProgress: () => void;
}

/** The tools as a session sees them. */
export interface ToolHost {
  list(session: Session): Promise<ToolDefinition[]>;
  /** @throws JsonRpcError for an unknown tool or bad arguments. */
  call(name: string, args: unknown, call: ToolCall): Promise<ToolResult>;
}

/** One connected client: its MCP state, its calls in flight. */
export class Session extends Proposer implements Disposable {
  private readonly store = new DisposableStore();
  private readonly closed = this.store.add(new Emitter<void>());
  private readonly initialized = this.store.add(new Emitter<void>());
  private readonly identified = this.store.add(new Emitter<void>());
  private readonly used = this.store.add(new Emitter<void>());
  private readonly told = this.store.add(new Emitter<Told>());
  private readonly exchanged = this.store.add(new Emitter<Exchange>());
  private readonly inFlight = new Map<RequestId, AbortController>();
  private client: { name: string; version: string } | undefined;
  private clientPid: number | undefined;
  private lastCall = 0;
  private isReady = false;
  private open = true;
  /** The second that is counted began then, on the clock that nobody sets. */
  private secondBegan = -Infinity;
  private messagesInSecond = 0;

  /** In ms since the epoch. */
  readonly connectedAt = Date.now();
  /** What the user calls it, in views and titles. */
  label: string;

  readonly onDidClose = this.closed.event;
  /** The handshake is done (`notifications/initialized`). */
  readonly onDidInitialize = this.initialized.event;
  /** The client has said who it is (`ide_connected`), and is ready for context. */
  readonly onDidIdentify = this.identified.event;
  /** The client has called a tool, as the CLI does with each prompt. */
  readonly onDidUse = this.used.event;
  /** The client has been told something of the editor. */
  readonly onDidTell = this.told.event;
  /** Every message, decoded, in both directions. */
  readonly onDidExchange = this.exchanged.event;

  /** @param id counts from 1 within one bridge; 0 for what is no session of a CLI, see `Bridge.endpoints` */
  constructor(
    readonly id: number,
    private readonly transport: Transport,
    private readonly tools: ToolHost,
    private readonly serverInfo: ServerInfo,
    private readonly log: Logger,
  ) {
    super();
    this.label = `Claude ${id}`;
    this.store.add(
      transport.onDidReceive((text) => void this.receive(text).catch((error: unknown) => this.fail(error))),
    );
    this.store.add(transport.onDidClose(() => this.dispose()));
    const deadline = setTimeout(() => this.client ?? this.dispose(), initializeTimeout);
    this.store.add(toDisposable(() => clearTimeout(deadline)));
  }

  get isOpen(): boolean {
    return this.open;
  }

  /** The CLI's process id, once it has told. */
  get pid(): number | undefined {
    return this.clientPid;
  }

  /** When it last called a tool, in ms since the epoch; 0 if it has not. */
  get lastUsed(): number {
    return this.lastCall;
  }

  get clientInfo(): { name: string; version: string } | undefined {
    return this.client;
  }

  /** Does nothing before the client has said `notifications/initialized`. */
  notify<M extends keyof Notifications>(method: M, params: Notifications[M]): void {
    if (this.isReady) {
      this.send({ jsonrpc: '2.0', method, params });
      this.told.fire({ what: method, payload: params });
    }
  }

  /**
   * Ends the connection; everything that waits for this session is told by `onDidClose`.
   * @param reason what the client has done wrong
   */
  dispose(reason?: string): void {
    if (!this.open) {
      return;
    }
    this.open = false;
    this.transport.close(reason);
    for (const call of this.inFlight.values()) {
      call.abort();
    }
    this.inFlight.clear();
    this.closed.fire();
    this.store.dispose();
  }

  /** A fault of ours: the client gets no answer to this message, the session goes on. */
  private fail(error: unknown): void {
    this.log.error(`Session ${this.id}: ${errorMessage(error)}`);
  }

  private send(message: object): void {
    if (this.open) {
      const text = JSON.stringify(message);
      this.log.trace(`${this.id} ← ${summary(message)}, ${text.length} characters`);
      this.exchanged.fire({ from: 'bridge', message });
      this.transport.send(text);
    }
  }

  /** A client in a loop would take the editor's time from all others. */
  private isFlood(messages: number): boolean {
    const now = performance.now();
    if (now - this.secondBegan >= 1_000) {
      this.secondBegan = now;
      this.messagesInSecond = 0;
    }
    this.messagesInSecond += messages;
    if (this.messagesInSecond <= maxMessages) {
      return false;
    }
    const reason = `More than ${maxMessages} messages in a second`;
    this.log.warn(`Session ${this.id}: ${reason}.`);
    this.dispose(reason);
    return true;
  }

  private async receive(text: string): Promise<void> {
    if (this.isFlood(1)) {
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.send(failure(null, ErrorCode.ParseError, 'Not valid JSON.'));
      return;
    }
    this.exchanged.fire({ from: 'client', message: value });
    if (!Array.isArray(value)) {
      const answer = await this.handle(value);
      if (answer) {
        this.send(answer);
      }
      return;
    }
    // MCP 2025-03-26 asks servers to take batches.
    if (value.length === 0 || value.length > maxBatch) {
      this.send(failure(null, ErrorCode.InvalidRequest, `A batch holds 1 to ${maxBatch} messages.`));
      return;
    }
    if (this.isFlood(value.length - 1)) {
      return;
    }
    const answers = await Promise.all(value.map((item) => this.handle(item)));
    const given = answers.filter((answer) => answer !== undefined);
    if (given.length > 0) {
      this.send(given);
    }
  }

  private async handle(value: unknown): Promise<JsonRpcResponse | undefined> {
    const incoming = classify(value);
    switch (incoming.kind) {
      case 'request':
        this.log.trace(`${this.id} → ${summary(incoming.message)}`);
        return this.answer(incoming.message);
      case 'notification':
        this.log.trace(`${this.id} → ${summary(incoming.message)}`);
        this.take(incoming.message);
        return undefined;
      case 'response':
        return undefined; // we ask nothing of clients that needs an answer
      case 'invalid':
        return incoming.answer;
    }
  }

  private async answer({ id, method, params }: JsonRpcRequest): Promise<JsonRpcResponse | undefined> {
    try {
      const result = await this.dispatch(id, method, params ?? {});
      return { jsonrpc: '2.0', id, result };
    } catch (error) {
      if (error instanceof Cancelled) {
        return undefined; // MCP: a cancelled request gets no answer
      }
      if (error instanceof JsonRpcError) {
        return failure(id, error.code, error.message, error.data);
      }
      this.log.error(`${method} failed: ${errorMessage(error)}`);
      return failure(id, ErrorCode.InternalError, errorMessage(error));
    }
  }

  private dispatch(id: RequestId, method: string, params: Params): object | Promise<object> {
    switch (method) {
      case 'initialize':
        return this.initialize(params);
      case 'ping':
        return {};
      case 'tools/list':
        return this.listTools();
      case 'tools/call':
        return this.callTool(id, params);
      case 'resources/list':
        return { resources: [] };
      case 'resources/templates/list':
        return { resourceTemplates: [] };
      case 'prompts/list':
        return { prompts: [] };
      default:
        throw new JsonRpcError(ErrorCode.MethodNotFound, `Method not found: ${printable(method)}`);
    }
  }

  private async listTools(): Promise<object> {
    return { tools: await this.tools.list(this) };
  }

  private initialize(params: Params): object {
    const { protocolVersion, clientInfo } = parse(initializeParams, params);
    if (this.client) {
      throw new JsonRpcError(ErrorCode.InvalidRequest, 'This connection is initialized already.');
    }
    const { name, version } = clientInfo ?? { name: 'unknown client', version: '' };
    this.client = { name: printable(name, 60), version: printable(version, 60) };
    return {
      protocolVersion: negotiateVersion(protocolVersion),
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
      serverInfo: this.serverInfo,
    };
  }

  private async callTool(id: RequestId, params: Params): Promise<object> {
    const { name, arguments: args, _meta } = parse(callToolParams, params);
    if (this.inFlight.size >= maxCallsInFlight) {
      throw new JsonRpcError(
        ErrorCode.InvalidRequest,
        `There are ${maxCallsInFlight} calls in flight already.`,
      );
    }
    if (this.inFlight.has(id)) {
      throw new JsonRpcError(
        ErrorCode.InvalidRequest,
        `The id ${JSON.stringify(id)} is in use by another call.`,
      );
    }
    const abort = new AbortController();
    this.inFlight.set(id, abort);
    this.lastCall = Date.now();
    const cancelled = new Promise<never>((_, reject) => {
      abort.signal.addEventListener('abort', () => reject(new Cancelled()), { once: true });
    });
    const progressToken = _meta?.progressToken;
    let progress = 0;
    const call = this.tools.call(name, args ?? {}, {
      session: this,
      signal: abort.signal,
      toolUseId: _meta?.['claudecode/toolUseId'],
      tellProgress: () => {
        if (progressToken !== undefined && this.inFlight.has(id)) {
          const params = { progressToken, progress: ++progress };
          this.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
        }
      },
    });
    try {
      this.used.fire(); // after the tool has begun: the newest CLI does not wait for it to read a file
      const result = await Promise.race([call, cancelled]);
      this.told.fire({ what: name, payload: result });
      return result;
    } finally {
      this.inFlight.delete(id);
    }
  }

  private take({ method, params }: JsonRpcNotification): void {
    switch (method) {
      case 'notifications/initialized':
        if (this.client && !this.isReady) {
          this.isReady = true;
          this.initialized.fire();
        }
        return;
      case 'ide_connected': {
        const connected = ideConnectedParams.safeParse(params);
        // Once: each time its terminal is looked for. A CLI that comes back does so on a new connection.
        if (connected.success && this.clientPid === undefined) {
          this.clientPid = connected.data.pid;
          this.identified.fire();
        }
        return;
      }
      case 'notifications/cancelled': {
        const cancelled = cancelledParams.safeParse(params);
        if (cancelled.success) {
          this.inFlight.get(cancelled.data.requestId)?.abort();
        }
        return;
      }
      default: // JSON-RPC: what is not known is not answered
    }
  }
}

class Cancelled extends Error {}

function parse<T>(schema: z.ZodMiniType<T>, params: Params): T {
  const parsed = schema.safeParse(params);
  if (!parsed.success) {
    throw new JsonRpcError(ErrorCode.InvalidParams, z.prettifyError(parsed.error), parsed.error.issues);
  }
  return parsed.data;
}

/** For the log: what kind of message, never what it says. */
function summary(message: object): string {
  if (Array.isArray(message)) {
    return `batch of ${message.length}`;
  }
  const id = 'id' in message ? ` #${String(message.id)}` : '';
  const kind = 'method' in message ? String(message.method) : 'error' in message ? 'error' : 'result';
  return printable(kind + id, 100);
}
