import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import { agentFiles, agentFolder, filesSince, isAgentOf } from './agentFiles.ts';
import { isOfSession, parseEntry, type Entry } from './entries.ts';
import { FolderWatch, type WatchOptions } from './folderWatch.ts';
import { LineTail } from './lineTail.ts';
import { linesBack } from './linesBack.ts';
import { breathe, openRecord, statOf, whyNot } from './recordFile.ts';
import { agentIdIn, transcriptName } from './transcriptPlace.ts';

export interface TranscriptSink {
  /** In the order of the lines of each file. `isPast`: it was there when the transcript was opened. */
  entry(entry: Entry, isPast: boolean): void;
  /** Something is missing, or everything begins anew. */
  gap(reason: string): void;
  /** A line over the limit was left out, of that sub-agent or of the session itself. */
  skipped(agentId: string | undefined, reason: string): void;
  /** The transcript was read, or could not be. */
  looked(): void;
}

/** How far back the beginning of the last turn is looked for, in bytes. */
const maxLastTurn = 16 * 1024 * 1024;
/** How far back of the last prompt what it does not say itself is looked for, in bytes. */
const maxBeforeTurn = 256 * 1024;
/** A sub-agent's part in the last turn, in bytes. */
const maxAgentPast = 1024 * 1024;
/** Sub-agents that are looked at before others have their turn. */
const agentsAtOnce = 50;

/** Asked with each entry, the last first, and with how many bytes were read. */
type Enough = (entry: Entry, bytes: number) => boolean;

/** One session's transcript and those of its sub-agents: the last turn, and what is written from then on. */
export class Transcript implements Disposable {
  readonly path: string;
  private readonly main: LineTail;
  private readonly agents = new Map<string, LineTail>();
  /** Those that were there and have not grown. */
  private readonly agentsBefore = new Map<string, fs.Stats>();
  private readonly foreign = new Set<string>();
  private readonly watches: FolderWatch[] = [];
  /** Why something of the past is missing. */
  private unread: string | undefined;
  private isOpen = false;
  private isDisposed = false;

  /**
   * @param folder that of the project, in `<config>/projects`
   * @param sessionId of lines that count: a transcript can have those of others
   */
  constructor(
    readonly folder: string,
    readonly sessionId: string,
    private readonly sink: TranscriptSink,
    private readonly watchOptions?: WatchOptions,
  ) {
    this.path = join(folder, transcriptName(sessionId));
    this.main = this.tailOf(this.path, maxLastTurn, isTurnKnown);
  }

  /** Why it is not read, or not watched. */
  get reasons(): string[] {
    const why =
      this.main.reason ?? this.unread ?? (this.main.isThere ? undefined : 'there is no transcript yet');
    return [...(why === undefined ? [] : [why]), ...this.watches.flatMap(({ reasons }) => reasons)];
  }

  get isThere(): boolean {
    return this.main.isThere && this.main.reason === undefined;
  }

  /** Tells the last turn as past, then watches. Settles when both are done. */
  async open(): Promise<void> {
    const since = await this.tellPast(this.main, maxLastTurn, isTurnKnown());
    await this.eachAgent((path) => this.openAgent(path, since));
    if (this.isDisposed) {
      return;
    }
    this.isOpen = true;
    const agents = agentFolder(this.folder, this.sessionId);
    this.watches.push(
      new FolderWatch(this.folder, (name) => this.look(this.folder, name), this.watchOptions),
      new FolderWatch(agents, (name) => this.look(agents, name), this.watchOptions),
    );
    await this.read(); // what came in between
  }

  /** Looks at everything; settles when what is there has been told. */
  async read(): Promise<void> {
    if (!this.isOpen) {
      return;
    }
    await this.readMain();
    await this.eachAgent((path) => this.readAgent(path));
  }

  /** The files of this session and its sub-agents that were written since then (ms since the epoch), its own first. */
  filesSince(time: number): string[] {
    return filesSince(this.folder, this.sessionId, time, (path) => this.isOwnAgent(path));
  }

  dispose(): void {
    this.isDisposed = true;
    for (const owned of [...this.watches, this.main, ...this.agents.values()]) {
      owned.dispose();
    }
  }

  /** There can be thousands, most of them not read: waiting for what is settled gives no one a turn. */
  private async eachAgent(run: (path: string) => Promise<void>): Promise<void> {
    for (const [index, path] of this.agentPaths().entries()) {
      if (this.isDisposed) {
        return;
      }
      await run(path);
      if (index % agentsAtOnce === agentsAtOnce - 1) {
        await breathe();
      }
    }
  }

  private agentPaths(): string[] {
    return agentFiles(this.folder, this.sessionId);
  }

  private look(folder: string, name?: string): void {
    if (name === undefined) {
      void this.read();
      return;
    }
    const path = join(folder, name);
    if (path === this.path) {
      void this.readMain();
    } else if (agentIdIn(name) !== undefined) {
      void this.readAgent(path);
    }
  }

  private async readMain(): Promise<void> {
    await this.main.read();
    this.sink.looked();
  }

  private tailOf(path: string, pastLimit: number, isEnough?: () => Enough): LineTail {
    const tail: LineTail = new LineTail(path, {
      line: (bytes) => this.hear(bytes),
      skipped: (bytes) =>
        this.sink.skipped(agentIdIn(basename(path)), `a line of ${bytes} bytes in ${path} was left out`),
      restarted: () => {
        void this.reopen(tail, pastLimit, isEnough?.()).then(() =>
          this.sink.gap(`${path} was cut or replaced`),
        );
        return false;
      },
    });
    return tail;
  }

  private hear(bytes: Buffer): void {
    const entry = parseEntry(bytes);
    if (entry && isOfSession(entry, this.sessionId)) {
      this.sink.entry(entry, false);
    }
  }

  /** What it has now was written by nobody knows whom, when: it is past. */
  private async reopen(tail: LineTail, limit: number, isEnough?: Enough): Promise<void> {
    await this.tellPast(tail, limit, isEnough);
    await tail.read();
  }

  /** One that was there before: read back if it is of the last turn, else from where it ends once it goes on. */
  private async openAgent(path: string, turnBegun: number | undefined): Promise<void> {
    const stat = statOf(path);
    if (!stat) {
      return;
    }
    if (turnBegun === undefined || stat.mtimeMs < turnBegun || !this.isOwnAgent(path)) {
      this.agentsBefore.set(path, stat);
      return;
    }
    const tail = this.tailOf(path, maxAgentPast);
    this.agents.set(path, tail);
    await this.tellPast(tail, maxAgentPast);
  }

  private async readAgent(path: string): Promise<void> {
    let tail = this.agents.get(path);
    if (!tail) {
      const before = this.agentsBefore.get(path);
      const size = statOf(path)?.size;
      if (size === before?.size || !this.isOwnAgent(path)) {
        return;
      }
      tail = this.tailOf(path, maxAgentPast);
      if (before) {
        tail.startAt(before.size, before);
      }
      this.agents.set(path, tail);
    }
    await tail.read();
  }

  private isOwnAgent(path: string): boolean {
    if (this.foreign.has(path)) {
      return false;
    }
    const isOwn = isAgentOf(path, this.folder, this.sessionId);
    if (isOwn === false || isOwn === 'too long') {
      this.foreign.add(path);
    }
    if (isOwn === 'too long') {
      this.sink.gap(`${path} is not read: its first line, which says whose it is, is too long`);
    }
    return isOwn === true;
  }

  /**
   * Tells what is at the file's end, and has its tail go on from there.
   * @param limit bytes
   * @returns the earliest time told
   */
  private async tellPast(
    tail: LineTail,
    limit: number,
    isEnough: Enough = () => false,
  ): Promise<number | undefined> {
    const opened = openRecord(tail.path);
    if (!('fd' in opened)) {
      tail.startAt(0, undefined);
      await tail.read(); // has it know why
      return undefined;
    }
    const { fd, stat } = opened;
    const entries: Entry[] = [];
    let start = stat.size;
    try {
      for await (const { line, offset, isWhole } of linesBack(fd, stat.size, limit)) {
        if (!isWhole) {
          start = offset;
        }
        const entry = line && parseEntry(line);
        if (entry && isOfSession(entry, this.sessionId)) {
          entries.push(entry);
        }
        const bytes = stat.size - offset;
        if (this.isDisposed || (entry && isEnough(entry, bytes))) {
          break;
        }
      }
    } catch (error) {
      this.unread = whyNot(tail.path, error);
      this.sink.gap(this.unread);
    } finally {
      fs.closeSync(fd);
    }
    tail.startAt(start, stat);
    tail.isThere = true;
    for (const entry of entries.reverse()) {
      this.sink.entry(entry, true);
    }
    return entries.find(({ at }) => at !== undefined)?.at;
  }
}

/** The prompt, and what is not said in each turn. */
function isTurnKnown(): Enough {
  let promptAt: number | undefined;
  let hasModel = false;
  return (entry, bytes) => {
    hasModel ||= entry.kind === 'assistant' && entry.agentId === undefined && entry.model !== undefined;
    if (entry.kind === 'prompt' && entry.agentId === undefined) {
      promptAt ??= bytes;
    }
    return promptAt !== undefined && (hasModel || bytes - promptAt > maxBeforeTurn);
  };
}
