import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';

/** One running CLI, by the file that it keeps of itself in `<config>/sessions` (2.1 and newer). */
export interface SessionFile {
  readonly pid: number;
  readonly sessionId: string;
  readonly cwd: string;
  readonly version?: string;
  readonly name?: string;
  /** `idle`, `busy`, `waiting`, `shell`; undefined while it starts, other words from other versions. */
  readonly status?: string;
  readonly waitingFor?: string;
  /** ms since the epoch */
  readonly statusUpdatedAt?: number;
}

export interface SessionFileChange {
  readonly pid: number;
  /** Undefined when it is gone. */
  readonly file: SessionFile | undefined;
}

/** Watches the session files of one configuration folder. Never opens anything but `<pid>.json`. */
export class SessionFiles implements Disposable {
  private readonly changed = new Emitter<SessionFileChange>();
  readonly onDidChange = this.changed.event;

  /** Of live processes of this user only. */
  get(_pid: number): SessionFile | undefined {
    throw new Error('not yet');
  }

  /** Why the file of that process is not used, or none is. */
  reason(_pid: number): string | undefined {
    throw new Error('not yet');
  }

  /** Reads what is there, and watches from then on. */
  start(): void {
    throw new Error('not yet');
  }

  dispose(): void {
    this.changed.dispose();
  }
}
