import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import type { AtMentioned } from '../protocol/ide.ts';
import type { Session } from '../server/session.ts';
import type { Clients } from '../context/clients.ts';

/** CLIs 1.x and 2.0 keep only the last of mentions that come within about 100 ms of each other. */
const spacing = 300;
/** They also lose what comes before their prompt is drawn, which is later than `ide_connected`, in ms. */
const warmUp = 1_500;

/** Where those that are not sent yet are kept over a reload of the window. */
const rememberedMentions = 'waitingMentions';

/** The part of VS Code's `Memento` that is used here. */
interface Memory {
  get<T>(key: string, otherwise: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Sends mentions one by one, and keeps those that nobody can take yet, also over a reload of the window. */
export class Mentions implements Disposable {
  private queue: AtMentioned[];
  /** Those that a session is to have as soon as it can take them. */
  private readonly onTheWay = new Set<AtMentioned>();
  /** Settles when the session can take the next one. */
  private readonly ready = new WeakMap<Session, Promise<void>>();
  private readonly changed = new Emitter<void>();
  private readonly store = new DisposableStore();

  readonly onDidChange = this.changed.event;

  constructor(
    clients: Clients,
    private readonly memory: Memory,
  ) {
    this.queue = [...memory.get<AtMentioned[]>(rememberedMentions, [])];
    this.store.add(
      clients.onDidIdentify((session) => {
        this.ready.set(session, pause(warmUp));
        const { queue } = this;
        this.queue = [];
        void this.send(session, queue);
      }),
    );
  }

  /** How many wait for a session. */
  get waiting(): number {
    return this.queue.length;
  }

  /** Keeps them for the next session that connects. */
  keep(mentions: readonly AtMentioned[]): void {
    this.queue.push(...mentions);
    this.remember();
  }

  discard(): void {
    this.queue = [];
    this.onTheWay.clear();
    this.remember();
  }

  async send(session: Session, mentions: readonly AtMentioned[]): Promise<void> {
    for (const mention of mentions.map((each) => ({ ...each }))) {
      const turn = this.ready.get(session) ?? Promise.resolve();
      this.onTheWay.add(mention);
      this.ready.set(
        session,
        turn.then(() => {
          if (!this.onTheWay.delete(mention)) {
            return; // discarded meanwhile
          }
          if (!session.isOpen) {
            return this.keep([mention]);
          }
          session.notify('at_mentioned', inFormFor(session.clientInfo, mention));
          this.remember();
          return pause(spacing);
        }),
      );
    }
    if (mentions.length > 0) {
      this.remember();
    }
    await this.ready.get(session);
  }

  dispose(): void {
    this.store.dispose();
    this.changed.dispose();
  }

  private remember(): void {
    const unsent = [...this.onTheWay, ...this.queue];
    void this.memory.update(rememberedMentions, unsent.length > 0 ? unsent : undefined);
    this.changed.fire();
  }
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
