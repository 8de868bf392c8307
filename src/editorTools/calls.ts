import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import { cut } from '../base/text.ts';
import type { ToolResult } from '../protocol/mcp.ts';
import type { Session, ToolCall } from '../server/session.ts';
import { clientName } from './clientName.ts';

/**
 * How many are remembered: of one client, of those that have ended; of clients, of those that have left; and of all clients,
 * unless more of them have a call that has not ended. Those over HTTP go as they like, and do not say so.
 */
const most = { calls: 20, left: 3, clients: 10 };

/** UTF-16 units of what a call was given, and of its answer, that are remembered of each. */
const maxText = 20_000;

/** `asks`: the user, who has not answered yet. `refused`: by them. `cancelled`: by the client, or as it has left. */
export type CallState = 'asks' | 'runs' | 'done' | 'refused' | 'failed' | 'cancelled';

/** A client that has called a tool that does more than read; also one that came after it and has its name. */
export class CallingClient {
  readonly row = 'client';
  readonly id: string;
  /** The last one first. */
  calls: readonly Call[] = [];
  /** Undefined once it has left. */
  session: Session | undefined;

  constructor(
    number: number,
    readonly name: string,
  ) {
    this.id = `client ${number}`;
  }
}

/** One of its calls. */
export class Call {
  readonly row = 'call';
  readonly id: string;
  /** In ms since the epoch. */
  readonly begunAt = Date.now();
  endedAt: number | undefined;
  state: CallState = 'runs';
  /** All that it was given, as JSON, but for what is too long. */
  readonly given: string;
  /** What the client was told. */
  answer = '';
  /** Brings the question into view, while the user is asked. */
  question: (() => unknown) | undefined;
  isRefused = false;

  constructor(
    number: number,
    readonly client: CallingClient,
    readonly tool: string,
    /** As the client has sent them. @see subjectOf */
    readonly subject: string,
    args: unknown,
  ) {
    this.id = `call ${number}`;
    this.given = kept(JSON.stringify(args ?? {}, undefined, 2));
  }
}

/** What clients do by the tools that do more than read, for the user to see. In memory only. */
export class Calls implements Disposable {
  private known: readonly CallingClient[] = [];
  private readonly open = new WeakMap<ToolCall, Call>();
  private readonly changed = new Emitter<void>();
  private lastNumber = 0;

  /** One has begun, asks, or has ended; or a client has left. */
  readonly onDidChange = this.changed.event;

  /**
   * @param subjectOf what a call is about, from its arguments
   * @param didEnd told of each that has ended
   */
  constructor(
    private readonly subjectOf: (tool: string, args: unknown) => string,
    private readonly isOn: () => boolean,
    private readonly didEnd: (call: Call) => void,
  ) {}

  /** In the order in which they came. */
  get clients(): readonly CallingClient[] {
    return this.known;
  }

  /** Those that wait for the user. */
  get asking(): Call[] {
    return this.known.flatMap(({ calls }) => calls.filter(({ state }) => state === 'asks'));
  }

  /** @param run what it does */
  async follow(
    call: ToolCall,
    tool: string,
    args: unknown,
    run: () => Promise<ToolResult>,
  ): Promise<ToolResult> {
    call.signal.throwIfAborted(); // before the listeners that would tell of it
    const followed = this.begin(call, tool, args);
    try {
      const result = await run();
      this.end(followed, result.isError ? 'failed' : 'done', textOf(result));
      return result;
    } catch (error) {
      this.end(followed, 'failed', errorMessage(error));
      throw error;
    }
  }

  /** @param question brings it into view */
  async whileAsking<T>(call: ToolCall, question: () => unknown, ask: () => Promise<T>): Promise<T> {
    const asking = this.open.get(call);
    this.set(asking, 'asks', question);
    try {
      return await ask();
    } finally {
      this.set(asking, 'runs', undefined);
    }
  }

  /** The user has said no. */
  refused(call: ToolCall): void {
    const refused = this.open.get(call);
    if (refused) {
      refused.isRefused = true;
    }
  }

  /** The first of those that have left; all of them once the user wants no tools any more. */
  forgetLeft(): void {
    const left = this.known.filter(({ session }) => session === undefined);
    const forgotten = left.slice(0, Math.max(0, left.length - (this.isOn() ? most.left : 0)));
    this.known = this.known.filter((each) => !forgotten.includes(each));
    this.changed.fire();
  }

  dispose(): void {
    this.changed.dispose();
  }

  private begin(call: ToolCall, tool: string, args: unknown): Call {
    const { session, signal } = call;
    const client = this.clientOf(session);
    const begun = new Call(++this.lastNumber, client, tool, this.subjectOf(tool, args), args);
    this.open.set(call, begun);
    signal.addEventListener(
      'abort',
      () => {
        const words = session.isOpen ? 'The client has cancelled it.' : 'The client has left.';
        this.end(begun, 'cancelled', words);
      },
      { once: true },
    );
    client.calls = withoutOldest([begun, ...client.calls]);
    this.forgetQuiet();
    this.changed.fire();
    return begun;
  }

  /** Those whose last call is the longest ago; one of them comes back with its next call. */
  private forgetQuiet(): void {
    const quiet = this.known
      .filter(({ calls }) => calls.every(({ endedAt }) => endedAt !== undefined))
      .sort((a, b) => lastCall(a) - lastCall(b));
    const forgotten = quiet.slice(0, Math.max(0, this.known.length - most.clients));
    this.known = this.known.filter((client) => !forgotten.includes(client));
  }

  private set(call: Call | undefined, state: 'asks' | 'runs', question: (() => unknown) | undefined): void {
    if (call && call.endedAt === undefined) {
      call.state = state;
      call.question = question;
      this.changed.fire();
    }
  }

  private end(call: Call, state: CallState, answer: string): void {
    if (call.endedAt === undefined) {
      call.endedAt = Date.now();
      call.state = call.isRefused && state !== 'cancelled' ? 'refused' : state;
      call.question = undefined;
      call.answer = kept(answer);
      this.didEnd(call);
      this.changed.fire();
    }
  }

  private clientOf(session: Session): CallingClient {
    const known = this.known.find((each) => each.session === session);
    if (known) {
      return known;
    }
    const name = clientName(session);
    // Programs that relay come anew after each reload, and clients over HTTP as they like.
    const back = this.known.find((each) => each.session === undefined && each.name === name);
    const client = back ?? new CallingClient(++this.lastNumber, name);
    client.session = session;
    if (!back) {
      this.known = [...this.known, client];
    }
    const subscription: Disposable = session.onDidClose(() => {
      subscription.dispose();
      this.leave(client);
    });
    return client;
  }

  private leave(client: CallingClient): void {
    client.session = undefined;
    this.forgetLeft();
  }
}

function lastCall({ calls }: CallingClient): number {
  return calls[0]?.begunAt ?? 0;
}

/** Of those that have ended: by many that are harmless, a client would else push one out that asks. */
function withoutOldest(calls: readonly Call[]): Call[] {
  let ended = 0;
  return calls.filter(({ endedAt }) => endedAt === undefined || ++ended < most.calls);
}

/** A copy: a part of a string would hold the whole in memory. */
function kept(text: string): string {
  return text.length > maxText ? `${Buffer.from(cut(text, maxText)).toString()}…` : text;
}

function textOf({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '(an image)')).join('\n');
}
