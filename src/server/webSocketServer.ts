import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import { Emitter } from '../base/emitter.ts';
import { errorCode, errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { checkRequest, checkUpgrade, type Verdict } from './guards.ts';
import type { StreamableHttp } from './streamableHttp.ts';
import type { Transport } from './transport.ts';
import type * as webSocketModule from './webSockets.ts';

const maxClients = 256;
/** Connections over HTTP. */
const maxCallers = 256;
/** Connections that have not authenticated yet. The oldest gives way, so that a flood keeps nobody out. */
const maxStrangers = 32;
const handshakeTimeout = 5_000;
/** A page that tries in a loop shall not fill the log: each reason is told once per this many ms. */
const refusalSilence = 60_000;

/** The loopback socket of the bridge: lets in who passes the guards, and hands over a transport for each client. */
export class LoopbackServer {
  private readonly connected = new Emitter<Transport>();
  private readonly strangers = new Set<Duplex>();
  private readonly callers = new Set<Duplex>();
  /** Reason → when it was last told, in ms of the clock that nobody sets. */
  private readonly toldRefusals = new Map<string, number>();
  private readonly http: Server;
  /** From the first client on: most windows never have one. */
  private webSockets: WebSocketServer | undefined;
  /** From the first request on: far fewer have one of those. */
  private streamableHttp: StreamableHttp | undefined;

  readonly onDidConnect = this.connected.event;

  /** @param offers whether there is something at a path for who speaks MCP over HTTP; undefined: never */
  constructor(
    private readonly token: string,
    private readonly pingInterval: number,
    private readonly offers: (path: string) => boolean | undefined,
    private readonly log: Logger,
  ) {
    this.http = createServer(
      { maxHeaderSize: 16 * 1024, connectionsCheckingInterval: 1_000 },
      (request, response) => void this.answer(request, response),
    );
    this.http.headersTimeout = handshakeTimeout;
    this.http.requestTimeout = handshakeTimeout;
    this.http.on('connection', (socket) => this.admitStranger(socket));
    this.http.on('upgrade', (request, socket, head) => void this.upgrade(request, socket, head));
  }

  /** @throws when the port is taken (`EADDRINUSE`) or forbidden. */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.http.once('error', reject);
      this.http.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
        this.http.off('error', reject);
        this.http.on('error', (error) => this.log.error(`Server: ${error.message}`));
        resolve();
      });
    });
  }

  /** Frees the port and drops every connection. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    for (const client of this.webSockets?.clients ?? []) {
      client.terminate();
    }
    this.streamableHttp?.close();
    for (const socket of this.strangers) {
      socket.destroy();
    }
    this.http.closeAllConnections();
    await closed;
  }

  private admitStranger(socket: Duplex): void {
    this.strangers.add(socket);
    socket.once('close', () => this.strangers.delete(socket));
    const [oldest] = this.strangers;
    if (this.strangers.size > maxStrangers && oldest) {
      this.strangers.delete(oldest);
      oldest.destroy();
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', socket } = request;
    const isOn = this.offers(path);
    if (isOn === undefined) {
      response.writeHead(426, { connection: 'close', upgrade: 'websocket' }).end();
      return;
    }
    const verdict = this.judge(checkRequest, request);
    const isFull = this.callers.size >= maxCallers && !this.callers.has(socket);
    if (!verdict.ok || !isOn || isFull) {
      this.tellRefusal(verdict.ok ? `${path} is ${isFull ? 'too busy' : 'off'}` : verdict.reason);
      const status = verdict.ok ? (isFull ? 503 : 404) : verdict.status;
      const headers = { connection: 'close', 'content-length': 0 };
      response.writeHead(status, headers).end(() => socket.destroy()); // as in `refuse`
      return;
    }
    if (!this.callers.has(socket)) {
      this.strangers.delete(socket);
      this.callers.add(socket);
      socket.once('close', () => this.callers.delete(socket));
    }
    try {
      const { StreamableHttp } = await import('./streamableHttp.ts');
      if (!this.http.listening) {
        socket.destroy(); // closed meanwhile
        return;
      }
      this.streamableHttp ??= new StreamableHttp((transport) => this.connected.fire(transport));
      await this.streamableHttp.handle(request, response);
    } catch (error) {
      this.log.error(`A request to ${path} failed: ${errorMessage(error)}`);
      socket.destroy();
    }
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const verdict = this.judge(checkUpgrade, request);
    if (!verdict.ok) {
      this.refuse(socket, verdict.status, verdict.reason);
      return;
    }
    this.strangers.delete(socket);
    try {
      this.accept(await import('./webSockets.ts'), request, socket, head);
    } catch (error) {
      this.refuse(socket, 500, `this extension is incomplete: ${errorMessage(error)}`);
    }
  }

  private judge(check: typeof checkRequest, request: IncomingMessage): Verdict {
    const address = this.http.address();
    return address === null || typeof address === 'string'
      ? { ok: false, status: 403, reason: 'the bridge has stopped meanwhile' }
      : check(request, address.port, this.token);
  }

  private accept(
    { createWebSocketServer, WebSocketTransport }: typeof webSocketModule,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): void {
    const webSockets = (this.webSockets ??= createWebSocketServer());
    if (webSockets.clients.size >= maxClients) {
      this.refuse(socket, 503, `there are ${maxClients} clients already`);
      return;
    }
    if (socket.destroyed || !this.http.listening) {
      socket.destroy(); // closed meanwhile
      return;
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      this.connected.fire(new WebSocketTransport(webSocket, this.pingInterval, request.url));
    });
  }

  private refuse(socket: Duplex, status: number, reason: string): void {
    this.tellRefusal(reason);
    socket.once('finish', () => socket.destroy()); // else the other side decides how long it stays open
    socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }

  private tellRefusal(reason: string): void {
    const now = performance.now();
    if (now - (this.toldRefusals.get(reason) ?? -Infinity) > refusalSilence) {
      this.toldRefusals.set(reason, now);
      this.log.warn(`Refused a connection: ${reason}.`);
    }
  }
}

/** The first of `ports` that is free. */
export async function listenOnFirstFree(
  create: (port: number) => LoopbackServer,
  ports: Iterable<number>,
): Promise<{ server: LoopbackServer; port: number }> {
  let lastError: unknown = new Error('No port to try');
  for (const port of ports) {
    const server = create(port);
    try {
      await server.listen(port);
      return { server, port };
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE' && errorCode(error) !== 'EACCES') {
        throw error;
      }
      lastError = error;
    }
  }
  throw lastError;
}
