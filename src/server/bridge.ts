import { randomInt } from 'node:crypto';
import { Emitter } from '../base/emitter.ts';
import { errorMessage, UserError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Queue } from '../base/queue.ts';
import type { LockFileContent, Notifications } from '../protocol/ide.ts';
import { Identity, newToken } from './identity.ts';
import { createLockFile, type LockFile } from './lockFile.ts';
import { MessageLog } from './messageLog.ts';
import { ensurePrivateDir } from './privateDir.ts';
import { isAlive, isListening } from './processes.ts';
import { type ServerInfo, Session, type Told, type ToolHost } from './session.ts';
import { sweepLockFiles } from './sweep.ts';
import type { Transport } from './transport.ts';
import { listenOnFirstFree, LoopbackServer } from './webSocketServer.ts';

export type BridgeState =
  | { kind: 'stopped' }
  | { kind: 'starting' }
  /** Where it is resumed, CLIs that have lost the bridge before come back by themselves. */
  | { kind: 'listening'; port: number; isResumed: boolean }
  | { kind: 'failed'; error: UserError };

export interface BridgeOptions {
  lockDir: string;
  /** Where port and token are remembered over a reload; absent: they are not. */
  identityFile: string | undefined;
  /** An ancestor of the integrated terminals' shells that lives as long as the editor, see `LockFileContent`. */
  editorPid: number;
  ideName: string;
  /** Absolute paths. */
  workspaceFolders: () => string[];
  serverInfo: ServerInfo;
  tools: ToolHost;
  log: Logger;
  /** ms between two pings to a client; 25 s by default */
  pingInterval?: number;
  /** ms between two looks at the lock file, and between two tries after a failed start; 5 s by default */
  checkInterval?: number;
}

/** Tools of their own, at a path of the bridge. */
export interface Endpoint extends ToolHost {
  /** What the user knows its clients as; by its path, where there is no other name. */
  readonly clients?: string;
  /** Over HTTP there is nothing at the path while it is off. */
  readonly isOn: boolean;
}

const attempts = 20;

interface Running {
  server: LoopbackServer;
  port: number;
  token: string;
  lock: LockFile;
  isResumed: boolean;
  onExit: () => void;
}

/** The running server of one editor window: port, token, lock file, sessions. */
export class Bridge {
  private readonly stateChanged = new Emitter<BridgeState>();
  private readonly identified = new Emitter<Session>();
  private readonly used = new Emitter<Session>();
  private readonly told = new Emitter<Told & { session: Session }>();
  private readonly openSessions = new Set<Session>();
  private readonly identity: Identity;
  private currentState: BridgeState = { kind: 'stopped' };
  private running: Running | undefined;
  private lastSessionId = 0;
  private checkTimer: ReturnType<typeof setInterval> | undefined;
  /** What was last wrong with the lock file, so that it is told once. */
  private lockProblem: string | undefined;
  /** Starts and stops run one after the other. */
  private readonly queue = new Queue();

  /** Also fires when a session comes or goes. */
  readonly onDidChangeState = this.stateChanged.event;
  readonly onDidIdentify = this.identified.event;
  readonly onDidUse = this.used.event;
  readonly onDidTell = this.told.event;
  /**
   * What is offered to those who connect at these paths. They are clients of that alone, so no CLI of ours: they are in
   * no list of sessions, are told of nothing, and have the id 0.
   */
  readonly endpoints = new Map<string | undefined, Endpoint>();
  private readonly guests = new Set<Session>();
  /** For the protocol inspector. */
  readonly messages = new MessageLog();

  constructor(private readonly options: BridgeOptions) {
    this.identity = new Identity(options.identityFile, options.editorPid);
  }

  get state(): BridgeState {
    return this.currentState;
  }

  /** While it listens. */
  get port(): number | undefined {
    return this.running?.port;
  }

  /** Those whose handshake is done. */
  get sessions(): ReadonlySet<Session> {
    return this.openSessions;
  }

  get lockFilePath(): string | undefined {
    return this.running?.lock.path;
  }

  /** Never throws: a failure is the state `failed`, and is tried again from time to time. */
  start(): Promise<void> {
    return this.queue.run(async () => {
      if (!this.running) {
        this.setState({ kind: 'starting' });
        await this.tryToOpen();
        this.checkTimer ??= setInterval(() => this.check(), this.options.checkInterval ?? 5_000).unref();
      }
    });
  }

  /** Removes the lock file first, so that nobody finds a server that is going away. */
  stop(): Promise<void> {
    return this.queue.run(async () => {
      clearInterval(this.checkTimer);
      this.checkTimer = undefined;
      const running = this.running;
      this.running = undefined;
      if (running) {
        process.off('exit', running.onExit);
        running.lock.remove();
        this.identity.markAlive();
        for (const session of [...this.openSessions, ...this.guests]) {
          session.dispose();
        }
        await running.server.close();
      }
      this.setState({ kind: 'stopped' });
    });
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Rewrites the lock file after the workspace folders have changed. */
  updateLockFile(): void {
    this.tendLock(({ lock, token }) => lock.update(this.lockFileContent(token)));
  }

  broadcast<M extends keyof Notifications>(method: M, params: Notifications[M]): void {
    for (const session of this.openSessions) {
      session.notify(method, params);
    }
  }

  /** Tells every client, also those of the endpoints, that it is offered others now. */
  toolsChanged(): void {
    for (const session of [...this.openSessions, ...this.guests]) {
      session.notify('notifications/tools/list_changed', {});
    }
  }

  private async tryToOpen(): Promise<void> {
    try {
      this.running = await this.open();
      this.lockProblem = undefined;
      const { port, isResumed } = this.running;
      this.setState({ kind: 'listening', port, isResumed });
    } catch (error) {
      const failure = asUserError(error);
      if (this.currentState.kind !== 'failed' || this.currentState.error.message !== failure.message) {
        this.setState({ kind: 'failed', error: failure });
      }
    }
  }

  /**
   * Looked at from time to time rather than watched: the folder may be deleted as a whole, come later, or lie on a
   * file system that reports nothing, and a look costs microseconds.
   */
  private check(): void {
    this.tendLock(({ lock }) => {
      this.identity.markAlive();
      if (lock.restore()) {
        this.options.log.warn(`Somebody had changed the lock file ${lock.path}: it is written again.`);
      }
    });
    if (this.currentState.kind === 'failed') {
      void this.queue.run(async () => {
        if (this.currentState.kind === 'failed') {
          await this.tryToOpen();
        }
      });
    }
  }

  private tendLock(action: (running: Running) => void): void {
    if (!this.running) {
      return;
    }
    try {
      action(this.running);
      this.lockProblem = undefined;
    } catch (error) {
      const problem = errorMessage(error);
      if (problem !== this.lockProblem) {
        this.lockProblem = problem;
        this.options.log.error(problem);
      }
    }
  }

  private async open(): Promise<Running> {
    const { lockDir, serverInfo, log, pingInterval = 25_000 } = this.options;
    ensurePrivateDir(lockDir);
    const swept = await sweepLockFiles(lockDir, serverInfo.name, { isAlive, isListening });
    if (swept.length > 0) {
      log.info(`Removed ${swept.length} left-over file(s) from ${lockDir}.`);
    }
    const last = this.identity.load();
    let token = last.token;
    const { server, port } = await listenOnFirstFree((candidate) => {
      // Somebody else has our port now: what was sent there must not open us.
      token = candidate === last.port ? last.token : newToken();
      return new LoopbackServer(token, pingInterval, (path) => this.endpoints.get(path)?.isOn, log);
    }, portsToTry(last.port));
    try {
      const lock = createLockFile(lockDir, port, this.lockFileContent(token));
      this.identity.save(port, token);
      server.onDidConnect((transport) => this.admit(transport));
      const onExit = () => lock.remove();
      process.once('exit', onExit);
      log.info(`Listening on port ${port}; lock file ${lock.path}.`);
      return { server, port, token, lock, isResumed: last.isFresh && port === last.port, onExit };
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  private admit(transport: Transport): void {
    const { tools, serverInfo, log } = this.options;
    const endpoint = this.endpoints.get(transport.path);
    const id = endpoint ? 0 : ++this.lastSessionId;
    const session = new Session(id, transport, endpoint ?? tools, serverInfo, log);
    session.onDidTell((told) => this.told.fire({ ...told, session }));
    session.onDidExchange(({ from, message }) => this.messages.add(id, from, message));
    if (endpoint) {
      session.label = endpoint.clients ?? `a client of ${transport.path}`;
      log.info(`There is ${session.label}.`);
      this.guests.add(session);
      session.onDidClose(() => this.guests.delete(session));
      return;
    }
    session.onDidInitialize(() => {
      this.openSessions.add(session);
      log.info(`Session ${session.id} connected.`);
      this.stateChanged.fire(this.currentState);
    });
    session.onDidUse(() => this.used.fire(session));
    session.onDidIdentify(() => {
      log.info(`Session ${session.id} is ${describe(session)}.`);
      this.identified.fire(session);
      this.stateChanged.fire(this.currentState);
    });
    session.onDidClose(() => {
      if (this.openSessions.delete(session)) {
        log.info(`Session ${session.id} disconnected.`);
        this.stateChanged.fire(this.currentState);
      }
    });
  }

  private lockFileContent(token: string): LockFileContent {
    const { editorPid, ideName, serverInfo, workspaceFolders } = this.options;
    return {
      pid: editorPid,
      workspaceFolders: workspaceFolders(),
      ideName,
      transport: 'ws',
      runningInWindows: process.platform === 'win32',
      authToken: token,
      bridge: serverInfo.name,
    };
  }

  private setState(state: BridgeState): void {
    this.currentState = state;
    if (state.kind === 'failed') {
      this.options.log.error(state.error.message);
    }
    this.stateChanged.fire(state);
  }
}

function* portsToTry(first: number | undefined): Generator<number> {
  if (first !== undefined) {
    yield first;
  }
  for (let i = 0; i < attempts; i++) {
    yield randomInt(10_000, 65_536);
  }
}

function describe({ clientInfo, pid }: Session): string {
  return `${clientInfo?.name ?? 'an unknown client'} ${clientInfo?.version ?? ''}, process ${pid}`;
}

function asUserError(error: unknown): UserError {
  return error instanceof UserError
    ? error
    : new UserError(
        `The bridge could not start: ${errorMessage(error).replace(/:\d+$/, '')}.`, // the same with each port
        'Restart the bridge to try again.',
        {
          cause: error,
        },
      );
}
