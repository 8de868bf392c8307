import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';

/** A CLI whose connection dropped tries the same port and token for the last time about then (2.0.77, 2.1.330). */
const reconnectWindow = 16_000;

const saved = z.object({
  port: z.int().check(z.minimum(1024), z.maximum(65_535)),
  token: z.string(),
  editorPid: z.int(),
  /** ms since the epoch; absent while the bridge runs, and after a crash. */
  stoppedAt: z.optional(z.number()),
});

/**
 * Port and token of this window's last bridge. A CLI that lost its connection to a window reload comes back by
 * itself if it finds both again. Later it would not even try the same pair, so then the token is a new one; the
 * port stays, because the environment of restored terminals has it.
 */
export class Identity {
  private current: z.infer<typeof saved> | undefined;

  /**
   * @param path a file of this window only; absent: nothing is remembered
   * @param editorPid the process that outlives the extension host
   */
  constructor(
    private readonly path: string | undefined,
    private readonly editorPid: number,
  ) {}

  /** The port to try first, and the token to offer. */
  load(now = Date.now()): { port: number | undefined; token: string } {
    const last = this.read();
    // A clock that was set back meanwhile gives a negative age.
    const age = Math.abs(now - (last?.stoppedAt ?? now));
    const fresh = last?.editorPid === this.editorPid && age < reconnectWindow;
    return { port: last?.port, token: fresh ? last.token : newToken() };
  }

  save(port: number, token: string): void {
    this.write({ port, token, editorPid: this.editorPid });
  }

  /** Not if a newer window has the file by now: this one was cut off from its window, and lived on for a while. */
  markStopped(now = Date.now()): void {
    if (this.current && this.read()?.port === this.current.port) {
      this.write({ ...this.current, stoppedAt: now });
    }
  }

  private read(): z.infer<typeof saved> | undefined {
    try {
      return this.path === undefined
        ? undefined
        : saved.parse(JSON.parse(fs.readFileSync(this.path, 'utf8')));
    } catch {
      return undefined;
    }
  }

  private write(identity: z.infer<typeof saved>): void {
    this.current = identity;
    if (this.path === undefined) {
      return;
    }
    try {
      fs.mkdirSync(dirname(this.path), { recursive: true });
      fs.rmSync(this.path, { force: true }); // so that the mode below counts
      fs.writeFileSync(this.path, JSON.stringify(identity), { flag: 'wx', mode: 0o600 });
    } catch {
      // Then a reload gets a new port and the user reconnects with /ide.
    }
  }
}

/** 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
