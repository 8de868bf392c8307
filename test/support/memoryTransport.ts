import { Emitter } from '../../src/base/emitter.ts';
import type { Message } from './ideClient.ts';
import type { Transport } from '../../src/server/transport.ts';

/** A client without a socket: `receive` is what it sends, `sent` is what it got. */
export class MemoryTransport implements Transport {
  private readonly received = new Emitter<string>();
  private readonly closed = new Emitter<void>();
  private isOpen = true;
  readonly sent: Message[] = [];
  readonly onDidReceive = this.received.event;
  readonly onDidClose = this.closed.event;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Message);
  }

  close(): void {
    if (this.isOpen) {
      this.isOpen = false;
      this.closed.fire();
    }
  }

  /** Delivers a message and gives its handlers a turn. */
  async receive(message: unknown): Promise<void> {
    this.received.fire(typeof message === 'string' ? message : JSON.stringify(message));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
