/** A conversation that was held in a folder, running or not. */
export interface PastSession {
  readonly sessionId: string;
  readonly path: string;
  /** The user's name for it, the CLI's, its summary, or the first line of the first prompt. */
  readonly title: string | undefined;
  /** ms since the epoch */
  readonly begun: number | undefined;
  readonly lastActive: number;
  readonly bytes: number;
}

export interface PastSessionCounts {
  readonly turns: number;
  /** Absolute paths, each once. */
  readonly files: readonly string[];
  /** False when only the last bytes were read. */
  readonly isComplete: boolean;
}

/** What was held in a folder. Reads the head and the tail of each transcript, and again only if size or time changed. */
export class PastSessions {
  constructor(private readonly configDir: string) {}

  /** The last active first. */
  list(_folder: string): Promise<PastSession[]> {
    throw new Error(this.configDir);
  }

  /** Reads all of it, up to that many bytes from its end. */
  count(_session: PastSession, _limit?: { bytes: number }): Promise<PastSessionCounts> {
    throw new Error('not yet');
  }
}
