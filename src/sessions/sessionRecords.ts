import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Queue } from '../base/queue.ts';
import type { RecordedEdit, RecordEvent, RecordSource, SessionState, Turn } from '../records/events.ts';
import type { NameStore } from '../records/pastNames.ts';
import type { RecordedSession } from '../records/recordedSession.ts';
import type { Records } from '../records/records.ts';
import type { Session } from '../server/session.ts';

/** What must be known of the bridge. */
export interface RecordedClients {
  readonly sessions: ReadonlySet<Session>;
  readonly onDidIdentify: Event<Session>;
  readonly onDidUse: Event<Session>;
  /** Also when a session goes. */
  readonly onDidChangeState: Event<unknown>;
}

interface SessionRecordsOptions {
  /** Whether the user, and the trust in the workspace, allow that anything is read. */
  readonly isAllowed: () => boolean;
  /** The CLI's working directory, as soon as it is known. */
  readonly folderOf: (session: Session) => string | undefined;
  /** See `configDir`. */
  readonly configDir: string;
  /** What the user has called conversations here. */
  readonly names?: NameStore;
  readonly log: Pick<Logger, 'error'>;
}

/** ms in which a CLI that was started writes down what it has open: after these it has not come. */
const startTime = 20_000;

/** By which record a session is known; `off` where none may be read. */
export type KnownBy = RecordSource | 'off';

/** A file that a session has written, as its record says. */
export interface SessionEdit {
  readonly session: Session;
  readonly edit: RecordedEdit;
  readonly turn: Turn | undefined;
  /** In which it was made. */
  readonly conversation: string | undefined;
}

interface Followed {
  readonly recorded: RecordedSession;
  readonly folder: string | undefined;
  isReady: boolean;
}

/** Events after which somebody who shows a session has something else to show. */
const visible: ReadonlySet<RecordEvent['type']> = new Set([
  'state',
  'prompt',
  'turnEnded',
  'mode',
  'model',
  'usage',
  'session',
  'source',
] as const);

/**
 * What the CLI's own records tell of each connected session. The code that reads them is loaded with the first session,
 * and nothing is read before.
 */
export class SessionRecords implements Disposable {
  private readonly followed = new Map<Session, Followed>();
  private records: Records | undefined;
  private isDisposed = false;
  private readonly changed = new Emitter<Session>();
  private readonly prompted = new Emitter<Session>();
  private readonly edited = new Emitter<SessionEdit>();
  private readonly subscriptions: readonly Disposable[];
  private readonly queue = new Queue();
  private readonly starting = new Map<string, NodeJS.Timeout>();

  /** Something else is known of that session, or no longer. */
  readonly onDidChange = this.changed.event;
  /** The user has sent it a prompt. */
  readonly onDidPrompt = this.prompted.event;

  readonly onDidEdit = this.edited.event;

  constructor(
    private readonly clients: RecordedClients,
    private readonly options: SessionRecordsOptions,
  ) {
    this.subscriptions = [
      clients.onDidIdentify(() => this.update()),
      clients.onDidChangeState(() => this.update()),
      clients.onDidUse((session) => this.followed.get(session)?.recorded.noteCall()),
    ];
  }

  get configDir(): string {
    return this.options.configDir;
  }

  /** See `SessionRecordsOptions`. */
  get names(): NameStore | undefined {
    return this.options.names;
  }

  /** A CLI of this window is started with that conversation: its own record says so some seconds later. */
  willRun(sessionId: string): void {
    this.forgetStart(sessionId);
    const timer = setTimeout(() => this.starting.delete(sessionId), startTime);
    this.starting.set(sessionId, timer);
  }

  isStarting(sessionId: string): boolean {
    return this.starting.has(sessionId);
  }

  /** Whether anything may be read now. */
  get isAllowed(): boolean {
    return !this.isDisposed && this.options.isAllowed();
  }

  /** Undefined where nothing may be read, or nothing has been yet. */
  of(session: Session): RecordedSession | undefined {
    const followed = this.followed.get(session);
    return followed?.isReady === true ? followed.recorded : undefined;
  }

  /** What it is at, as its session file says. Undefined for a CLI without one: then only its terminal gives signs. */
  stateOf(session: Session): SessionState | undefined {
    const recorded = this.of(session);
    return recorded?.source.known.startsWith('session file') ? recorded.state : undefined;
  }

  /** The same by whatever record there is, as of this moment: for those who are about to type something. */
  async look(session: Session): Promise<SessionState | undefined> {
    const recorded = this.of(session);
    await recorded?.refresh();
    return recorded?.state;
  }

  /** For the doctor; undefined for a client that has not said which process it is. */
  sourceOf(session: Session): KnownBy | undefined {
    return this.options.isAllowed() ? this.followed.get(session)?.recorded.source : 'off';
  }

  /** All that is recorded, also of CLIs that are not connected. Undefined where nothing may be read. */
  async open(): Promise<Records | undefined> {
    if (!this.isAllowed) {
      return undefined;
    }
    const { Records } = await import('../records/records.ts');
    if (this.isAllowed && !this.records) {
      this.records = new Records(this.options);
      this.records.start();
    }
    return this.records;
  }

  /** The process that holds each conversation open, by its id; of CLIs without a session file, if it is connected. */
  get running(): ReadonlyMap<string, number> {
    const files = this.records?.sessionFiles.all ?? [];
    const connected = [...this.followed.values()].map(({ recorded }) => recorded);
    const running = new Map(
      [...files, ...connected].flatMap(({ sessionId, pid }) =>
        sessionId === undefined ? [] : [[sessionId, pid] as const],
      ),
    );
    for (const sessionId of running.keys()) {
      this.forgetStart(sessionId);
    }
    return running;
  }

  /** To be called when the folder of a session, or whether reading is allowed, may have become another. */
  update(): void {
    void this.queue.run(() =>
      this.settle().catch((error: unknown) =>
        this.options.log.error(`The records of the CLI are not read: ${errorMessage(error)}`),
      ),
    );
  }

  dispose(): void {
    this.isDisposed = true;
    [...this.starting.keys()].forEach((sessionId) => this.forgetStart(sessionId));
    this.subscriptions.forEach((subscription) => subscription.dispose());
    this.end();
    this.changed.dispose();
    this.prompted.dispose();
    this.edited.dispose();
  }

  /** It runs, or was given up. */
  private forgetStart(sessionId: string): void {
    clearTimeout(this.starting.get(sessionId));
    this.starting.delete(sessionId);
  }

  private async settle(): Promise<void> {
    for (const session of [...this.followed.keys()]) {
      if (!session.isOpen) {
        this.forget(session);
      }
    }
    if (!this.isAllowed) {
      this.end();
      return;
    }
    const isNew = (session: Session) => session.pid !== undefined && !this.isFollowed(session);
    if (![...this.clients.sessions].some(isNew)) {
      return;
    }
    const records = await this.open(); // who switches it off meanwhile calls for another look
    if (records) {
      [...this.clients.sessions].filter(isNew).forEach((session) => this.follow(session, records));
    }
  }

  /** One of which nothing was found is looked for anew once its folder is known: without a session file that finds it. */
  private isFollowed(session: Session): boolean {
    const followed = this.followed.get(session);
    return (
      followed !== undefined &&
      (followed.folder === this.options.folderOf(session) || followed.recorded.source.known !== 'nothing')
    );
  }

  private follow(session: Session, records: Records): void {
    const { pid, clientInfo } = session;
    if (pid === undefined) {
      return;
    }
    this.followed.get(session)?.recorded.dispose();
    const folder = this.options.folderOf(session);
    const recorded = records.attach({
      pid,
      ...(folder === undefined ? {} : { cwd: folder }),
      ...(clientInfo ? { version: clientInfo.version } : {}),
    });
    const followed: Followed = { recorded, folder, isReady: false };
    this.followed.set(session, followed);
    recorded.onDidHappen((event) => {
      if (event.type === 'prompt' && event.isTyped) {
        this.prompted.fire(session);
      }
      if (event.type === 'edit') {
        const { turn, sessionId: conversation } = recorded;
        this.edited.fire({ session, edit: event.edit, turn, conversation });
      }
      if (visible.has(event.type)) {
        this.changed.fire(session);
      }
    });
    void recorded.ready.then(() => {
      followed.isReady = true;
      if (this.followed.get(session) === followed) {
        this.changed.fire(session);
      }
    });
  }

  private end(): void {
    [...this.followed.keys()].forEach((session) => this.forget(session));
    this.records?.dispose();
    this.records = undefined;
  }

  private forget(session: Session): void {
    this.followed.get(session)?.recorded.dispose();
    this.followed.delete(session);
    this.changed.fire(session);
  }
}
