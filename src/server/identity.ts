import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { replaceFile } from './replaceFile.ts';
import { readSmallFile } from './smallFile.ts';

/** A CLI whose connection dropped tries the same port and token for the last time about then (2.0.77, 2.1.330). */
const reconnectWindow = 16_000;

const saved = z.object({
  port: z.int().check(z.minimum(1024), z.maximum(65_535)),
  token: z.string(),
  editorPid: z.int(),
});

/**
 * Port and token of this window's last bridge. A CLI that lost its connection to a window reload comes back by
 * itself if it finds both again. Later it would not even try the same pair, so then the token is a new one; the
 * port stays, because the environment of restored terminals has it.
 */
export class Identity {
  private port: number | undefined;

  /**
   * @param path a file of this window only; absent: nothing is remembered
   * @param editorPid the process that outlives the extension host
   */
  constructor(
    private readonly path: string | undefined,
    private readonly editorPid: number,
  ) {}

  /** The port to try first, and the token to offer; whether it is one that CLIs still try. */
  load(now = Date.now()): { port: number | undefined; token: string; isFresh: boolean } {
    const last = this.read();
    // A clock that was set back meanwhile gives a negative age.
    const isFresh = last?.editorPid === this.editorPid && Math.abs(now - last.aliveAt) < reconnectWindow;
    return { port: last?.port, token: isFresh ? last.token : newToken(), isFresh };
  }

  save(port: number, token: string): void {
    this.port = port;
    if (this.path === undefined) {
      return;
    }
    try {
      fs.mkdirSync(dirname(this.path), { recursive: true });
      replaceFile(this.path, JSON.stringify({ port, token, editorPid: this.editorPid }));
    } catch {
      // Then a reload gets a new port and the user reconnects with /ide.
    }
  }

  /**
   * The age of the file is the time since the bridge was last seen alive, since one that crashes cannot tell. Not if a
   * newer window has the file by now: this one was cut off from its window, and lived on for a while.
   */
  markAlive(now = Date.now()): void {
    const last = this.read();
    if (this.path !== undefined && last && last.port === this.port) {
      try {
        fs.utimesSync(this.path, now / 1000, now / 1000);
      } catch {
        // As when it cannot be saved.
      }
    }
  }

  private read(): (z.infer<typeof saved> & { aliveAt: number }) | undefined {
    try {
      const found = this.path === undefined ? undefined : readSmallFile(this.path);
      return found && { ...saved.parse(JSON.parse(found.text)), aliveAt: found.stat.mtimeMs };
    } catch {
      return undefined;
    }
  }
}

/** 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
