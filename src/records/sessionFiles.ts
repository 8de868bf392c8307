import * as fs from 'node:fs';
import * as os from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { isAlive } from '../server/processes.ts';
import { FolderWatch, type WatchOptions } from './folderWatch.ts';
import { lenient } from './lenient.ts';
import { namesIn, openRecord } from './recordFile.ts';

/** What the CLI writes of itself while it runs, as 2.1.330 was seen to do. */
const sessionFile = z.looseObject({
  pid: z.number(),
  /** A part of paths and of command lines. */
  sessionId: z.string().check(z.regex(/^\w[\w-]{0,99}$/)),
  cwd: z.string(),
  version: lenient(z.string()),
  name: lenient(z.string()),
  /** `idle`, `busy`, `waiting`, `shell` (the turn has ended, a command of it runs on); none while it starts. */
  status: lenient(z.string()),
  /** `permission prompt`, `input needed`, … */
  waitingFor: lenient(z.string()),
  /** ms since the epoch */
  startedAt: lenient(z.number()),
  /** ms since the epoch */
  statusUpdatedAt: lenient(z.number()),
  /** When the process was started, in the system's own measure: tells it from a later one with its number. */
  procStart: lenient(z.string()),
});

/** One running CLI, by the file that it keeps of itself in `<config>/sessions` (2.1 and newer). */
export type SessionFile = z.infer<typeof sessionFile>;

export interface SessionFileChange {
  readonly pid: number;
  /** Undefined when it is gone. */
  readonly file: SessionFile | undefined;
}

const fileName = /^(\d{1,10})\.json$/;
/** bytes; they have about 800 */
const maxBytes = 64 * 1024;
/** A folder with more is not one of the CLI's. */
const maxFiles = 1_000;

/** Watches the session files of one configuration folder. Never opens anything but `<pid>.json`. */
export class SessionFiles implements Disposable {
  private readonly files = new Map<number, SessionFile>();
  private readonly refusals = new Map<number, string>();
  private watch: FolderWatch | undefined;
  private readonly changed = new Emitter<SessionFileChange>();
  readonly onDidChange = this.changed.event;

  /** @param folder `<config>/sessions` */
  constructor(
    private readonly folder: string,
    private readonly watchOptions?: WatchOptions,
  ) {}

  /** Of live processes of this user only. */
  get(pid: number): SessionFile | undefined {
    const file = this.files.get(pid);
    return file && isAlive(pid) ? file : undefined;
  }

  get all(): SessionFile[] {
    return [...this.files.values()].filter(({ pid }) => isAlive(pid));
  }

  /** Why the file of that process is not used, or is not watched. */
  reasons(pid: number): string[] {
    const refusal = this.refusals.get(pid) ?? (this.files.has(pid) ? undefined : 'it keeps no session file');
    return [...(refusal === undefined ? [] : [refusal]), ...(this.watch?.reasons ?? [])];
  }

  /** Reads what is there, and watches from then on. */
  start(): void {
    this.watch ??= new FolderWatch(this.folder, (name) => this.look(name), this.watchOptions);
    this.look();
  }

  /** Reads that one now, for who knows of it before the system tells. */
  refresh(pid: number): void {
    this.read(pid);
  }

  dispose(): void {
    this.watch?.dispose();
    this.changed.dispose();
  }

  private look(name?: string): void {
    if (name === undefined) {
      const there = namesIn(this.folder).flatMap((found) => pidIn(found) ?? []);
      const known = [...this.files.keys(), ...this.refusals.keys()];
      for (const pid of new Set([...there.slice(0, maxFiles), ...known])) {
        this.read(pid);
      }
      return;
    }
    const pid = pidIn(name);
    if (pid !== undefined) {
      this.read(pid);
    }
  }

  private read(pid: number): void {
    const path = join(this.folder, `${pid}.json`);
    const opened = openRecord(path);
    if (!('fd' in opened)) {
      this.settle(pid, undefined, opened.reason);
      return;
    }
    try {
      const { size } = opened.stat;
      if (size > maxBytes) {
        this.settle(pid, undefined, `${path} is too large for a session file`);
        return;
      }
      this.parse(pid, path, fs.readFileSync(opened.fd, 'utf8'));
    } finally {
      fs.closeSync(opened.fd);
    }
  }

  private parse(pid: number, path: string, text: string): void {
    const { success, data } = sessionFile.safeParse(parseJson(text));
    if (!success) {
      // Half of it, which the rest will follow: what was known stays.
      this.refusals.set(pid, `${path} cannot be understood`);
    } else if (data.pid !== pid) {
      this.settle(pid, undefined, `${path} is that of process ${data.pid}`);
    } else if (!isAlive(pid) || isLaterProcess(data)) {
      this.settle(pid, undefined, `${path} is left over from a process that has ended`);
    } else {
      this.settle(pid, data);
    }
  }

  private settle(pid: number, file: SessionFile | undefined, refusal?: string): void {
    const before = this.files.get(pid);
    if (refusal === undefined) {
      this.refusals.delete(pid);
    } else {
      this.refusals.set(pid, refusal);
    }
    if (file) {
      this.files.set(pid, file);
    } else {
      this.files.delete(pid);
    }
    if (JSON.stringify(before) !== JSON.stringify(file)) {
      this.changed.fire({ pid, file });
    }
  }
}

function pidIn(name: string): number | undefined {
  const digits = fileName.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * On Linux `procStart` is field 22 of proc_pid_stat(5). Elsewhere it is not compared, but none outlives the system.
 * @param uptime of the system, in s
 */
export function isLaterProcess(
  { pid, procStart, startedAt }: Pick<SessionFile, 'pid' | 'procStart' | 'startedAt'>,
  platform: NodeJS.Platform = process.platform,
  uptime = os.uptime(),
): boolean {
  if (platform !== 'linux') {
    return startedAt !== undefined && startedAt < Date.now() - uptime * 1_000;
  }
  if (procStart === undefined || !/^\d+$/.test(procStart)) {
    return false;
  }
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] !== procStart;
  } catch {
    return false;
  }
}
