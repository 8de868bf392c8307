import { join } from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import type { WatchOptions } from './folderWatch.ts';
import { nameOf, type NameStore } from './pastNames.ts';
import { PastSessions } from './pastSessions.ts';
import { RecordedSession, type AttachedCli } from './recordedSession.ts';
import { SessionFiles } from './sessionFiles.ts';

export interface RecordsOptions {
  /** `CLAUDE_CONFIG_DIR` or `~/.claude`; may be a link, nothing below it may. */
  readonly configDir: string;
  readonly log: Pick<Logger, 'error'>;
  /** What the user has called conversations here. */
  readonly names?: NameStore;
  readonly watchOptions?: WatchOptions;
}

/** The room's door: everything that the CLI's records of one configuration folder tell. Reads nothing before `start()`. */
export class Records implements Disposable {
  /** All CLIs of this user, connected or not. */
  readonly sessionFiles: SessionFiles;
  readonly past: PastSessions;
  private readonly projects: string;

  constructor(private readonly options: RecordsOptions) {
    const { configDir, names, watchOptions } = options;
    this.projects = join(configDir, 'projects');
    this.sessionFiles = new SessionFiles(join(configDir, 'sessions'), watchOptions);
    this.past = new PastSessions(this.projects, (id) => names && nameOf(names, id));
  }

  /** Also anew: whoever is about to decide by who runs looks at all of them, and not at what the system has told. */
  start(): void {
    this.sessionFiles.start();
  }

  /** Follows that CLI until what is returned is disposed. To be called after `start()`. */
  attach(cli: AttachedCli): RecordedSession {
    const { sessionFiles, projects, options } = this;
    const { log, watchOptions } = options;
    return new RecordedSession(cli, {
      sessionFiles,
      projects,
      log,
      ...(watchOptions ? { watchOptions } : {}),
    });
  }

  dispose(): void {
    this.sessionFiles.dispose();
  }
}
