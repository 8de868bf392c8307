import { type WebSocket, WebSocketServer } from 'ws';
import { Emitter } from '../base/emitter.ts';
import type { Transport } from './transport.ts';

/** Of one message that comes. A client that sends a longer one is cut off. */
export const maxMessageBytes = 16 * 1024 * 1024;

/** A client that has this many bytes unread is cut off, so that it cannot fill the editor's memory. */
const maxUnreadBytes = 64 * 1024 * 1024;

/** How long a client may take, in ms, to answer our close. */
const closeTimeout = 1_000;

export class WebSocketTransport implements Transport {
  private readonly received = new Emitter<string>();
  private readonly closed = new Emitter<void>();
  private readonly pingTimer: ReturnType<typeof setInterval>;
  private unansweredPings = 0;

  readonly onDidReceive = this.received.event;
  readonly onDidClose = this.closed.event;

  /** @param pingInterval ms; a half-open connection is found by two pings that nothing answered */
  constructor(
    private readonly socket: WebSocket,
    pingInterval: number,
    readonly path?: string,
  ) {
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        this.hangUp(1003, 'Text frames only');
      } else {
        this.received.fire(data.toString('utf8'));
      }
    });
    socket.on('pong', () => {
      this.unansweredPings = 0;
    });
    socket.on('error', () => socket.terminate()); // e.g. a frame over the limit; 'close' follows
    socket.on('close', () => {
      clearInterval(this.pingTimer);
      this.closed.fire();
      this.closed.dispose();
      this.received.dispose();
    });
    this.pingTimer = setInterval(() => this.ping(), pingInterval);
    this.pingTimer.unref();
  }

  send(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) {
      return;
    }
    if (this.socket.bufferedAmount > maxUnreadBytes) {
      this.socket.terminate();
      return;
    }
    this.socket.send(text);
  }

  close(reason?: string): void {
    this.hangUp(reason === undefined ? 1001 : 1008, reason);
  }

  private hangUp(code: number, reason?: string): void {
    this.socket.close(code, reason);
    setTimeout(() => this.socket.terminate(), closeTimeout).unref();
  }

  private ping(): void {
    if (this.unansweredPings >= 2) {
      this.socket.terminate();
      return;
    }
    this.unansweredPings += 1;
    this.socket.ping();
  }
}

/** For upgrades that the guard has let through. */
export function createWebSocketServer(): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: () => 'mcp', // the guard has seen that it was offered
  });
}
