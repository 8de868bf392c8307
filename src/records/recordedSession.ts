import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Conversation } from './conversation.ts';
import type { PastEdit, RecordEvent, RecordSource, SessionState, ToolUse, Turn } from './events.ts';
import type { WatchOptions } from './folderWatch.ts';
import { GrowingTranscript } from './growingTranscript.ts';
import { editsBack, turnsBack } from './lookBack.ts';
import type { SessionFile, SessionFiles } from './sessionFiles.ts';
import { Transcript } from './transcript.ts';
import { folderOf, foldersOf } from './transcriptPlace.ts';

/** A CLI, as the bridge knows it. `cwd` and `version` find the transcript of one that keeps no session file. */
export interface AttachedCli {
  readonly pid: number;
  readonly cwd?: string;
  readonly version?: string;
}

interface RecordedSessionDependencies {
  readonly sessionFiles: SessionFiles;
  /** `<config>/projects` */
  readonly projects: string;
  readonly log: Pick<Logger, 'error'>;
  readonly watchOptions?: WatchOptions;
}

/** How much of transcripts is looked through for what was, in bytes. */
const maxLookBack = 64 * 1024 * 1024;
/** ms between two searches of all folders for the same session, when something of it changes */
const searchInterval = 30_000;

/** Tools that only wait for a sub-agent, whose own are asked about: of 2.1, and of those before. */
const agentTools = new Set(['Agent', 'Task']);

/** A running CLI and what its records tell, for as long as it is attached. */
export class RecordedSession implements Disposable {
  readonly pid: number;
  private readonly happened = new Emitter<RecordEvent>();
  private readonly subscription: Disposable;
  private conversation = new Conversation(() => {});
  private file: SessionFile | undefined;
  private transcript: Transcript | undefined;
  private growing: GrowingTranscript | undefined;
  /** Which session was last looked for in all folders, and when, by `performance.now()`. */
  private searched = { sessionId: '', at: -Infinity };
  private isReplaying = false;
  private isDisposed = false;
  private isReady = false;
  private lastState: SessionState | undefined;
  private lastSource = '';

  /**
   * Everything that happens from now on, in order. What was there before (the last turn) makes no events: it is in the
   * properties below once `ready` has settled, and anew after `session` and `gap`.
   */
  readonly onDidHappen = this.happened.event;

  /** Settles when the last turn has been read, or it is known that nothing can be; never rejects. */
  readonly ready: Promise<void>;

  constructor(
    private readonly cli: AttachedCli,
    private readonly dependencies: RecordedSessionDependencies,
  ) {
    const { sessionFiles } = dependencies;
    this.pid = cli.pid;
    this.subscription = sessionFiles.onDidChange(({ pid }) => {
      if (pid === this.pid) {
        void this.follow();
      }
    });
    this.ready = this.follow().then(() => {
      this.isReady = true;
    });
  }

  /** It changes when the user clears or resumes a conversation. */
  get sessionId(): string | undefined {
    return this.transcript?.sessionId;
  }

  /** When its process began, in ms since the epoch; undefined where it keeps no session file. */
  get startedAt(): number | undefined {
    return this.file?.startedAt;
  }

  /** Undefined where no record tells it truthfully. */
  get state(): SessionState | undefined {
    return this.file ? this.stateOf(this.file) : this.stateOfTurn();
  }

  /** The permission mode: `default`, `acceptEdits`, `plan`, …; as of the last prompt, which is when the CLI says it. */
  get mode(): string | undefined {
    return this.conversation.mode;
  }

  get model(): string | undefined {
    return this.conversation.model;
  }

  get contextTokens(): number | undefined {
    return this.conversation.contextTokens;
  }

  /** The turn that runs, or the last. */
  get turn(): Turn | undefined {
    return this.conversation.turn;
  }

  /** Begun and not ended, of the session and of its sub-agents. */
  get openTools(): readonly ToolUse[] {
    return this.conversation.openTools;
  }

  get source(): RecordSource {
    const { sessionFiles } = this.dependencies;
    const hasFile = this.file !== undefined;
    const hasTranscript = this.transcript?.isThere === true;
    const reasons = [
      ...sessionFiles.reasons(this.pid),
      ...(this.transcript?.reasons ?? this.whyNoTranscript(hasFile)),
    ];
    const known = hasFile
      ? hasTranscript
        ? 'session file and transcript'
        : 'session file'
      : hasTranscript
        ? 'transcript'
        : 'nothing';
    return { known, reasons };
  }

  /** The bridge has just heard from this CLI: of one without a session file, that tells its transcript. */
  noteCall(): void {
    this.growing?.noteCall();
  }

  /** The last turns, oldest first, of at most so many bytes at the transcript's end. */
  async recentTurns(limit: {
    turns: number;
    bytes?: number;
  }): Promise<{ turns: Turn[]; isComplete: boolean }> {
    if (!this.transcript) {
      return { turns: [], isComplete: false };
    }
    const { path, sessionId } = this.transcript;
    const { found, isComplete } = await turnsBack(path, sessionId, { bytes: maxLookBack, ...limit });
    return { turns: found, isComplete };
  }

  /**
   * What this session and its sub-agents have edited since then (ms since the epoch), oldest first.
   * @param limit bytes of the transcripts, from their ends
   */
  async editsSince(
    time: number,
    { bytes } = { bytes: maxLookBack },
  ): Promise<{ edits: PastEdit[]; isComplete: boolean }> {
    if (!this.transcript) {
      return { edits: [], isComplete: false };
    }
    const paths = this.transcript.filesSince(time);
    const { found, isComplete } = await editsBack(paths, this.transcript.sessionId, time, bytes);
    return { edits: found, isComplete };
  }

  /** Looks now, and settles when what is there has been told: for those who know before the system tells. */
  async refresh(): Promise<void> {
    this.dependencies.sessionFiles.refresh(this.pid);
    await this.follow();
    await this.transcript?.read();
  }

  dispose(): void {
    this.isDisposed = true;
    this.subscription.dispose();
    this.transcript?.dispose();
    this.growing?.dispose();
    this.happened.dispose();
  }

  /** Never rejects: what cannot be read is not known, and the next change is looked at again. */
  private follow(): Promise<void> {
    return this.followFile().catch((error: unknown) => {
      this.dependencies.log.error(`The records of ${this.pid} cannot be followed: ${errorMessage(error)}`);
    });
  }

  private async followFile(): Promise<void> {
    const file = this.dependencies.sessionFiles.get(this.pid);
    this.file = file;
    if (file) {
      this.growing?.dispose();
      this.growing = undefined;
      const { cwd, sessionId } = file;
      const isFollowed = this.sessionId === sessionId && this.transcript?.isThere === true;
      const folder = isFollowed ? this.transcript?.folder : this.folderFor(cwd, sessionId);
      if (folder !== undefined && (folder !== this.transcript?.folder || sessionId !== this.sessionId)) {
        await this.open(folder, sessionId);
      }
    } else if (!this.growing && !this.transcript) {
      this.lookForGrowing();
    }
    this.update();
  }

  /** Until the first prompt there is no transcript, and where there are thousands of folders a search takes its time. */
  private folderFor(cwd: string, sessionId: string): string | undefined {
    const now = performance.now();
    const isRecent = this.searched.sessionId === sessionId && now - this.searched.at < searchInterval;
    if (isRecent && this.sessionId === sessionId) {
      return this.transcript?.folder; // what comes there is told
    }
    this.searched = { sessionId, at: now };
    return folderOf(this.dependencies.projects, cwd, sessionId);
  }

  private lookForGrowing(): void {
    const { projects, watchOptions } = this.dependencies;
    const { cwd, version } = this.cli;
    const [folder] = cwd === undefined ? [] : foldersOf(projects, cwd);
    if (folder !== undefined && cwd !== undefined && version !== undefined) {
      const follow = (sessionId: string) => void this.open(folder, sessionId).then(() => this.update());
      this.growing = new GrowingTranscript(folder, { cwd, version }, follow, watchOptions);
    }
  }

  private whyNoTranscript(hasFile: boolean): string[] {
    const { cwd, version } = this.cli;
    if (this.growing) {
      return ['no transcript has grown with its calls yet', ...this.growing.reasons];
    }
    if (hasFile || (cwd !== undefined && version !== undefined)) {
      return [`nothing in ${this.dependencies.projects} is for its folder, or that is a link`];
    }
    return ['its folder or version is not known'];
  }

  private async open(folder: string, sessionId: string): Promise<void> {
    if (this.isDisposed) {
      return;
    }
    this.transcript?.dispose();
    const conversation = new Conversation((event) => this.tell(event));
    const gap = (reason: string) => {
      this.tell({ type: 'gap', reason });
      this.update();
    };
    const transcript: Transcript = new Transcript(
      folder,
      sessionId,
      {
        entry: (entry, isPast) => {
          if (this.transcript === transcript) {
            this.isReplaying = isPast;
            conversation.take(entry);
            this.updateState();
            this.isReplaying = false;
          }
        },
        gap,
        skipped: (agentId, reason) => {
          conversation.skip(agentId);
          gap(reason);
        },
        looked: () => this.updateSource(),
      },
      this.dependencies.watchOptions,
    );
    this.conversation = conversation;
    this.transcript = transcript;
    await transcript.open();
    if (this.transcript === transcript) {
      this.tell({ type: 'session', sessionId });
    }
  }

  private stateOf({ status, statusUpdatedAt, waitingFor = '' }: SessionFile): SessionState | undefined {
    const since = statusUpdatedAt ?? 0;
    switch (status) {
      case 'idle':
      case 'shell':
        return { status, since };
      case 'busy':
        return { status: 'working', since };
      case 'waiting': {
        const asks = this.openTools.filter(({ name }) => !agentTools.has(name));
        return { status, since, waitingFor, asks };
      }
      default:
        return undefined;
    }
  }

  private stateOfTurn(): SessionState | undefined {
    // One whose session file has gone has ended, whatever its transcript says last.
    const turn = this.growing && this.transcript?.isThere === true ? this.turn : undefined;
    if (!turn) {
      return undefined;
    }
    return turn.ended === undefined
      ? { status: 'running', since: turn.begun }
      : { status: 'idle', since: turn.ended };
  }

  private update(): void {
    this.updateState();
    this.updateSource();
  }

  private updateState(): void {
    const { state } = this;
    if (!this.isReplaying && keyOf(state) !== keyOf(this.lastState)) {
      this.lastState = state;
      this.tell({ type: 'state', state });
    }
  }

  private updateSource(): void {
    const { source } = this;
    const key = JSON.stringify(source);
    if (key !== this.lastSource) {
      this.lastSource = key;
      this.tell({ type: 'source', source });
    }
  }

  private tell(event: RecordEvent): void {
    if (this.isReplaying || this.isDisposed || !this.isReady) {
      return;
    }
    try {
      this.happened.fire(event);
    } catch (error) {
      // Else the lines that come after would be lost to all the others.
      this.dependencies.log.error(`A record was not taken in: ${errorMessage(error)}`);
    }
  }
}

/** Two states with the same are told once. */
function keyOf(state: SessionState | undefined): string {
  const { status, since } = state ?? {};
  return state?.status === 'waiting'
    ? [status, since, state.waitingFor, ...state.asks.map(({ id }) => id)].join('\n')
    : `${status} ${since}`;
}
