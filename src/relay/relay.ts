import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { maxMessageBytes } from '../server/webSockets.ts';
import type { Connection } from './connection.ts';
import { bridgeName, NoSuchWindow, type Wanted } from './findWindow.ts';

interface Message {
  id?: string | number;
  method?: string;
  params?: { requestId?: string | number; protocolVersion?: string };
  error?: { message: string };
}

/** What the client has asked, and was not answered yet. */
interface Asked {
  readonly message: Message;
  /** The window to which it was sent first went away. */
  isAskedAgain: boolean;
}

/** A window that was there. */
export type Last = Pick<Wanted, 'port' | 'token'>;

/** How long to wait for a window, in ms: as it reloads, and at any other time. */
const patience = { reload: 20_000, usual: 3_000 };
/** ms between two looks for the first window */
const lookOutTime = 2_000;
/** What a client is answered that was greeted without a window; all else fails. */
const alone: Readonly<Record<string, object>> = { 'tools/list': { tools: [] }, ping: {} };
/** ms for the answers that are still to come when the client has said its last */
const drainTimeout = 5_000;

/**
 * Carries the messages of one client to a window and back. When the window goes, as in a reload, it finds it again and
 * says `initialize` for the client, so that the client need not know. Where none is there yet the client is greeted in its
 * name, has no tools, and is told when one has come: else a client that is set up once for all folders would fail in most.
 */
export class Relay {
  private connection: Promise<Connection> | undefined;
  private readonly pending = new Map<string | number, Asked>();
  /** What waits for a connection, in the client's order. */
  private readonly unsent: Message[] = [];
  /** The client's `initialize`, once a window has taken it. */
  private hello: Message | undefined;
  /** There was no window yet that could have taken that. */
  private isAlone = false;
  private onAnswer = () => {};

  /**
   * @param connect to that window, if one is named, else to the one that is wanted
   * @param give a message to the client, without its line end
   * @param log for people
   * @param last the window that is tried first
   */
  constructor(
    private readonly connect: (patience: number, last?: Last) => Promise<Connection>,
    private readonly give: (text: string) => void,
    private readonly log: (line: string) => void,
    private last?: Last,
  ) {}

  /** Takes what the client says: a message, or several at once. */
  async take(json: unknown): Promise<void> {
    await Promise.all([json].flat().map((each) => this.pass(each as Message)));
  }

  /** The client has said what cannot be read. */
  refuse(): void {
    this.give(failure(null, -32_700, 'Not valid JSON, or too long.'));
  }

  /** The client has said its last: waits for the answers to what it has asked. */
  async end(): Promise<void> {
    const drained = new Promise<void>((resolve) => {
      this.onAnswer = () => this.pending.size === 0 && resolve();
      this.onAnswer();
    });
    await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, drainTimeout).unref())]);
  }

  private async pass(message: Message): Promise<void> {
    if (typeof message !== 'object' || message === null) {
      this.give(failure(null, -32_600, 'Not a JSON-RPC message.'));
      return;
    }
    const { id, method } = message;
    if (method === 'notifications/cancelled') {
      this.pending.delete(message.params?.requestId ?? ''); // that gets no answer
    }
    if (id !== undefined && method !== undefined) {
      this.pending.set(id, { message, isAskedAgain: false });
    }
    this.unsent.push(message);
    await this.send(this.isAlone ? 0 : patience.usual);
  }

  /** Sends what waits, once there is a connection; if there is none to be had, all that waits for an answer fails. */
  private async send(wait: number): Promise<void> {
    try {
      const connection = await (this.connection ??= this.open(wait));
      for (const message of this.unsent.splice(0)) {
        this.transmit(connection, message);
      }
    } catch (error) {
      this.connection = undefined;
      this.unsent.length = 0;
      const reason = error instanceof Error ? error.message : String(error);
      if (this.pending.size > 0) {
        this.log(reason);
      }
      for (const [id, { message }] of [...this.pending]) {
        const result = this.isAlone ? alone[message.method ?? ''] : undefined;
        if (message.method === 'initialize' && error instanceof NoSuchWindow && error.mayCome) {
          this.welcome(id, message, reason);
        } else if (result) {
          this.settle(id, success(id, result));
        } else {
          this.answer(id, reason);
        }
      }
    }
  }

  /** @param reason why there is no window */
  private welcome(id: string | number, hello: Message, reason: string): void {
    const { protocolVersion } = hello.params ?? {};
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: bridgeName, version: '0.0.0' }; // that of a window, which is not known yet
    this.settle(id, success(id, { protocolVersion, capabilities, serverInfo, instructions: reason }));
    this.hello = hello;
    if (!this.isAlone) {
      this.isAlone = true;
      void this.lookOut();
    }
  }

  private async lookOut(): Promise<void> {
    while (this.isAlone) {
      await sleep(lookOutTime, undefined, { ref: false }); // the client keeps us here, if it does
      if (!this.connection) {
        await this.send(0);
      }
    }
  }

  /** The window would hang up, and all other calls would fail. */
  private transmit(connection: Connection, message: Message): void {
    const text = JSON.stringify(message);
    if (Buffer.byteLength(text) <= maxMessageBytes) {
      connection.send(text);
    } else if (message.id !== undefined && this.pending.has(message.id)) {
      this.answer(message.id, `The message is too long: ${maxMessageBytes / 1024 / 1024} MB at most.`);
    }
  }

  private async open(wait: number): Promise<Connection> {
    const connection = await this.find(wait);
    const { editor, folders, port, token } = connection.window;
    this.last = { port, token };
    if (this.hello) {
      await this.greet(connection, this.hello);
      // It may be another version of us by now.
      this.give(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
    }
    this.isAlone = false;
    this.log(`Connected to ${editor}, ${folders.join(', ') || 'no folder'} (port ${port}).`);
    connection.onMessage = (text) => this.receive(text);
    connection.onClose = () => this.lose();
    return connection;
  }

  /** A window that reloads is away for a while, and others must not be taken for it. */
  private async find(wait: number): Promise<Connection> {
    if (this.last !== undefined) {
      try {
        return await this.connect(wait, this.last);
      } catch {
        this.last = undefined; // closed, or at another port
      }
      return this.connect(0);
    }
    return this.connect(wait);
  }

  /** Says for the client what it has said to the window before. */
  private async greet(connection: Connection, hello: Message): Promise<void> {
    const id = randomUUID();
    await new Promise<void>((resolve, reject) => {
      connection.onClose = () => reject(new Error('The window has gone again.'));
      connection.onMessage = (text) => {
        const answer = JSON.parse(text) as Message;
        if (answer.id === id) {
          if (answer.error) {
            connection.close();
            reject(new Error(answer.error.message));
          }
          resolve();
        }
      };
      connection.send(JSON.stringify({ ...hello, id }));
    });
    connection.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  }

  private receive(text: string): void {
    const { id, method, error } = JSON.parse(text) as Message;
    if (id !== undefined && method === undefined) {
      const asked = this.pending.get(id)?.message;
      if (asked?.method === 'initialize' && !error) {
        this.hello = asked;
      }
      this.pending.delete(id);
    }
    this.give(text);
    this.onAnswer();
  }

  /**
   * Of a call nobody knows whether it was done: it is not made twice. All else is asked again, but once only: it may be
   * that of which the window hangs up.
   */
  private lose(): void {
    this.connection = undefined;
    this.log('The window has gone; looking for it.');
    for (const [id, asked] of this.pending) {
      if (asked.message.method === 'tools/call' || asked.isAskedAgain) {
        this.answer(id, 'The editor window went away meanwhile. Ask again.');
      } else {
        asked.isAskedAgain = true;
        this.unsent.push(asked.message);
      }
    }
    void this.send(patience.reload);
  }

  private answer(id: string | number, reason: string): void {
    this.settle(id, failure(id, -32_000, reason));
  }

  private settle(id: string | number, answer: string): void {
    this.pending.delete(id);
    this.give(answer);
    this.onAnswer();
  }
}

function success(id: string | number, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

function failure(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
