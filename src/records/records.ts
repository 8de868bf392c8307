import type { Disposable } from '../base/disposable.ts';
import { PastSessions } from './pastSessions.ts';
import { RecordedSession } from './recordedSession.ts';
import { SessionFiles } from './sessionFiles.ts';

export interface RecordsOptions {
  /** `CLAUDE_CONFIG_DIR` or `~/.claude`. */
  readonly configDir: string;
}

/** The room's door: everything that the CLI's records of one configuration folder tell. Reads nothing before `start()`. */
export class Records implements Disposable {
  readonly sessionFiles = new SessionFiles();
  readonly past: PastSessions;

  constructor({ configDir }: RecordsOptions) {
    this.past = new PastSessions(configDir);
  }

  start(): void {
    this.sessionFiles.start();
  }

  /**
   * Follows the CLI with that process id until it is disposed. `cwd` and `version` find the transcript of one that keeps no
   * session file.
   */
  attach(cli: { pid: number; cwd?: string; version?: string }): RecordedSession {
    return new RecordedSession(cli.pid);
  }

  dispose(): void {
    this.sessionFiles.dispose();
  }
}
