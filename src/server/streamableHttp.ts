import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { WebStandardStreamableHTTPServerTransport as SdkTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { Emitter } from '../base/emitter.ts';
import type { Transport } from './transport.ts';

/** Those who go away without a word are not missed: the one that was silent for longest gives way, of those that wait for nothing. */
const maxClients = 64;
/** ms after which a stream says that it is alive; clients give up one that says nothing, Node's own after five minutes. */
const usualSilence = 30_000;
/** Of one request; what an editor is asked is short. */
const maxBodyBytes = 4 * 1024 * 1024;

/**
 * MCP over HTTP, by the transport of the official library: a transport of ours for each client, so that it is a session
 * as those over WebSocket are. Who may come in was decided before, by the guards. A bundle of its own: see esbuild.mjs.
 */
export class StreamableHttp {
  /** By the id of the MCP session; the one that was used last is last. */
  private readonly clients = new Map<string, HttpTransport>();

  /** @param silence see `usualSilence` */
  constructor(
    private readonly admit: (transport: Transport) => void,
    private readonly silence = usualSilence,
  ) {}

  /** @throws when the connection ends before the answer does */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']?.toString();
    const client = id === undefined ? this.newClient(request.url) : this.clients.get(id);
    if (!client) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(failure(null, -32_001, 'Session not found')); // the client is to begin anew
      return;
    }
    if (id !== undefined) {
      this.clients.delete(id);
      this.clients.set(id, client);
    }
    client.waiting++;
    try {
      await client.handle(request, response, this.silence);
    } finally {
      client.waiting--;
    }
  }

  close(): void {
    for (const client of [...this.clients.values()]) {
      client.close();
    }
  }

  /** It is one of the clients once it has said `initialize`: before, the library refuses all else. */
  private newClient(path: string | undefined): HttpTransport {
    const client = new HttpTransport(path, (id) => {
      if (this.clients.size >= maxClients) {
        const all = [...this.clients.values()];
        (all.find(({ waiting }) => waiting === 0) ?? all[0])?.close();
      }
      this.clients.set(id, client);
      client.onDidClose(() => this.clients.delete(id));
      this.admit(client);
    });
    return client;
  }
}

class HttpTransport implements Transport {
  private readonly received = new Emitter<string>();
  private readonly closed = new Emitter<void>();
  private readonly library: SdkTransport;
  /** By the token for its progress, the request that has no answer yet. */
  private readonly asking = new Map<unknown, RequestId>();

  readonly onDidReceive = this.received.event;
  readonly onDidClose = this.closed.event;
  /** How many requests of its have no whole answer yet: a user may take long to decide. */
  waiting = 0;

  constructor(
    readonly path: string | undefined,
    onInitialize: (id: string) => void,
  ) {
    this.library = new SdkTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: onInitialize,
      maxRequestBodySize: maxBodyBytes,
    });
    this.library.onmessage = (message) => this.receive(message);
    this.library.onclose = () => {
      this.closed.fire();
      this.closed.dispose();
      this.received.dispose();
    };
  }

  async handle(request: IncomingMessage, response: ServerResponse, silence: number): Promise<void> {
    const answer = await this.library.handleRequest(asWebRequest(request));
    if (!request.complete) {
      answer.headers.set('connection', 'close'); // the rest of a body that is too long is not waited for
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (!answer.body) {
      response.end();
      return;
    }
    response.flushHeaders(); // a stream may say nothing for long
    // A comment; the library writes whole events, so that it stands in none. A user may take long to decide.
    const isStream = answer.headers.get('content-type') === 'text/event-stream';
    const alive = isStream ? setInterval(() => response.write(':\n\n'), silence) : undefined;
    // A client that hangs up ends its stream, not its session.
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch(() => {});
    clearInterval(alive);
  }

  send(text: string): void {
    const message = JSON.parse(text) as JSONRPCMessage;
    // Progress goes where the answer will: a client need have no other stream.
    let relatedRequestId: RequestId | undefined;
    if (!('method' in message)) {
      this.asking.forEach((id, token) => id === message.id && this.asking.delete(token));
    } else if (message.method === 'notifications/progress') {
      relatedRequestId = this.asking.get(message.params?.progressToken);
    }
    const options = relatedRequestId === undefined ? {} : { relatedRequestId };
    void this.library.send(message, options).catch(() => {}); // nobody waits for it any more
  }

  close(): void {
    void this.library.close();
  }

  private receive(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message && message.params?._meta?.progressToken !== undefined) {
      this.asking.set(message.params._meta.progressToken, message.id);
    }
    this.received.fire(JSON.stringify(message));
    if ('method' in message && message.method === 'notifications/cancelled') {
      // The session answers it no more, and a stream ends with its last answer.
      this.send(failure(message.params?.requestId, -32_800, 'Cancelled'));
    }
  }
}

function asWebRequest(request: IncomingMessage): Request {
  const { method = 'GET', url, headersDistinct } = request;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    values.forEach((value) => headers.append(name, value));
  }
  return new Request(`http://${request.headers.host}${url}`, {
    method,
    headers,
    ...(method === 'POST' && { body: Readable.toWeb(request) as BodyInit, duplex: 'half' }),
  });
}

function failure(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
