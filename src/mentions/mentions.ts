import { basename } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';
import { printable } from '../base/printable.ts';
import type { AtMentioned } from '../protocol/ide.ts';
import { isAlive } from '../server/processes.ts';
import type { Session } from '../server/session.ts';
import type { Clients } from '../context/clients.ts';

/** CLIs 1.x and 2.0 keep only the last of mentions that come within about 100 ms of each other. */
const spacing = 300;
/** They also lose what comes before their prompt is drawn, which is later than `ide_connected`, in ms. */
const warmUp = 1_500;

/** Where those that are not sent yet are kept over a reload of the window. */
const rememberedMentions = 'waitingMentions';

/** Where it was on its way to a session when the window was reloaded, it has the process of that one. */
type Waiting = AtMentioned & { pid?: number };

/** The part of VS Code's `Memento` that is used here. */
export interface Memory {
  get<T>(key: string, otherwise: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** What is known of the prompts of sessions. */
export interface Prompts {
  /** Whether its prompt takes words now: not while a question or a dialog is up. Undefined where nothing tells. */
  isOpen(session: Session): boolean | undefined;
  readonly onDidChange: Event<Session>;
}

/** Those that a session was sent last. */
export interface Sent {
  readonly session: Session;
  readonly mentions: readonly AtMentioned[];
}

/**
 * Sends mentions one by one, and keeps those that nobody can take yet, also over a reload of the window. A CLI that opens
 * on a dialog of its own loses them; CLI 2.1 takes its question off the screen for a mention, and then asks it anew: what
 * was chosen or typed there is lost, and an Enter in between sends the prompt. So a mention waits until the prompt is
 * there. Where nothing tells, the user does: by mentioning something to that session, or by `sendNow`.
 */
export class Mentions implements Disposable {
  private queue: Waiting[];
  /** Those that a session is to have as soon as it can take them. */
  private readonly onTheWay = new Map<AtMentioned, Session>();
  /** Settles when the session can take the next one. */
  private readonly ready = new WeakMap<Session, Promise<void>>();
  /** Those of which the user has said that their prompt is there. */
  private readonly seenAtPrompt = new WeakSet<Session>();
  private last: Sent | undefined;
  private readonly changed = new Emitter<void>();
  private readonly waited = new Emitter<Sent>();
  private readonly store = new DisposableStore();

  readonly onDidChange = this.changed.event;
  /** Those that waited for a session have been sent to this one. */
  readonly onDidSendWaiting = this.waited.event;

  constructor(
    clients: Clients,
    private readonly memory: Memory,
    private readonly prompts: Prompts,
  ) {
    this.queue = [...memory.get<Waiting[]>(rememberedMentions, [])];
    this.store.add(
      clients.onDidIdentify((session) => {
        this.ready.set(session, pause(warmUp));
        const isOfAnother = ({ pid }: Waiting) => pid !== undefined && pid !== session.pid && isAlive(pid);
        const taken = this.queue.filter((mention) => !isOfAnother(mention));
        this.queue = this.queue.filter(isOfAnother);
        void this.deliver(session, taken.map(mentionOf)).then((mentions) => {
          if (mentions.length > 0) {
            this.waited.fire({ session, mentions });
          }
        });
      }),
    );
  }

  /** How many wait for a session. */
  get waiting(): number {
    return this.queue.length;
  }

  /** How many wait until the prompt of their session is there. */
  get waitingForPrompt(): number {
    return [...this.onTheWay.values()].filter((session) => !this.isAtPrompt(session)).length;
  }

  /** The sessions whose waiting ones only the user's word can send: nothing tells when their prompt is there. */
  get waitingForWord(): Session[] {
    const sessions = new Set(this.onTheWay.values());
    return [...sessions].filter(
      (session) => this.prompts.isOpen(session) === undefined && !this.isAtPrompt(session),
    );
  }

  /** What can be sent again, as nobody tells whether it has arrived. */
  get lastSent(): Sent | undefined {
    return this.last?.session.isOpen ? this.last : undefined;
  }

  /** Keeps them for the next session that connects. */
  keep(mentions: readonly AtMentioned[]): void {
    this.queue.push(...mentions);
    this.remember();
  }

  /** Those that wait for a session. */
  discardKept(): void {
    this.queue = [];
    this.remember();
  }

  /** Also those that wait for an answer. */
  discard(): void {
    this.onTheWay.clear();
    this.discardKept();
  }

  /** On the user's word, who sees the session's prompt. @returns settles when they are sent, kept or discarded */
  async send(session: Session, mentions: readonly AtMentioned[]): Promise<void> {
    this.sendNow(session);
    await this.deliver(session, mentions);
  }

  /** The user says that its prompt is there, or has just used it: what waits for it is sent. */
  sendNow(session: Session): void {
    this.seenAtPrompt.add(session);
    this.changed.fire();
  }

  dispose(): void {
    this.store.dispose();
    this.changed.dispose();
    this.waited.dispose();
  }

  /** Not on the user's word. @returns those that were sent, once all are sent, kept or discarded */
  async deliver(session: Session, mentions: readonly AtMentioned[]): Promise<AtMentioned[]> {
    const sent: AtMentioned[] = [];
    for (const mention of mentions.map((each) => ({ ...each }))) {
      const turn = this.ready.get(session) ?? Promise.resolve();
      this.onTheWay.set(mention, session);
      this.ready.set(
        session,
        turn.then(async () => {
          await this.untilAtPrompt(session, mention);
          if (!this.onTheWay.delete(mention)) {
            return; // discarded meanwhile
          }
          if (!session.isOpen) {
            this.keep([mention]);
            return;
          }
          session.notify('at_mentioned', inFormFor(session.clientInfo, mention));
          sent.push(mention);
          this.last = { session, mentions: sent };
          this.remember();
          await pause(spacing);
        }),
      );
    }
    if (mentions.length > 0) {
      this.remember();
    }
    await this.ready.get(session);
    return sent;
  }

  /** Whether what is mentioned goes there at once. */
  isAtPrompt(session: Session): boolean {
    return this.prompts.isOpen(session) ?? this.seenAtPrompt.has(session);
  }

  /** Or until its session is gone, or it is discarded. */
  private async untilAtPrompt(session: Session, mention: AtMentioned): Promise<void> {
    while (session.isOpen && this.onTheWay.has(mention) && !this.isAtPrompt(session)) {
      await next(this.prompts.onDidChange, session.onDidClose, this.onDidChange);
    }
  }

  private remember(): void {
    const onTheWay = [...this.onTheWay].map(([mention, { pid }]) =>
      pid === undefined ? mention : { ...mention, pid },
    );
    const unsent = [...onTheWay, ...this.queue];
    void this.memory.update(rememberedMentions, unsent.length > 0 ? unsent : undefined);
    this.changed.fire();
  }
}

/** By their files, fit to be shown. */
export function describeMentions(mentions: readonly AtMentioned[]): string {
  const [first = '', ...others] = new Set(mentions.map(({ filePath }) => filePath));
  const name = printable(basename(first));
  if (others.length > 0) {
    return `${name} and ${others.length} more`;
  }
  const isInParts = mentions.every(({ lineStart, cellId }) => (lineStart ?? cellId) !== undefined);
  return isInParts && mentions.length > 1 ? `${mentions.length} selections of ${name}` : name;
}

/**
 * The CLI writes `@`, the path and the lines into its prompt, and reads them again from there: a path with a space
 * must bring its own quotes, with the lines inside of them.
 */
export function inFormFor(client: Session['clientInfo'], mention: AtMentioned): AtMentioned {
  const { filePath, lineStart, cellId } = mention;
  const hasSpace = /\s/.test(filePath);
  if (client?.name !== 'claude-code' || (!hasSpace && cellId === undefined)) {
    return mention;
  }
  const { lineEnd = lineStart } = mention;
  let part = '';
  if (lineStart !== undefined && lineEnd !== undefined) {
    part = `#L${lineStart + 1}${lineEnd > lineStart ? `-${lineEnd + 1}` : ''}`;
  } else if (cellId !== undefined && takesCells(client.version)) {
    part = `#${cellId}`;
  }
  return { filePath: hasSpace ? `"${filePath}${part}"` : filePath + part };
}

/** The CLI attaches the whole notebook, each cell with its id; 2.1.20 and older ones nothing but for the mere path. */
function takesCells(version: string): boolean {
  return version.localeCompare('2.1.110', 'en', { numeric: true }) >= 0;
}

function mentionOf(waiting: Waiting): AtMentioned {
  const mention = { ...waiting };
  delete mention.pid;
  return mention;
}

/** Settles with the first of these events. */
function next(...events: readonly ((listener: () => void) => Disposable)[]): Promise<void> {
  return new Promise((resolve) => {
    const subscriptions = events.map((event) =>
      event(() => {
        subscriptions.forEach((subscription) => subscription.dispose());
        resolve();
      }),
    );
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
