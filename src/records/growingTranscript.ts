import { join } from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import { FolderWatch, type WatchOptions } from './folderWatch.ts';
import { entriesBack, headOf } from './lookBack.ts';
import { namesIn, statOf } from './recordFile.ts';
import { isOfFolder, sessionIdIn, transcriptName } from './transcriptPlace.ts';

/** What a CLI does on the wire and what it writes are so close, in ms: with each prompt it closes all diffs. */
const coincidence = 1_000;
/** bytes at the end of a transcript in which a line says of which version it is */
const maxTail = 512 * 1024;
/** and at its beginning, in which one says where */
const maxHead = 128 * 1024;

/** Finds the transcript of a CLI that keeps no session file: the one of its version that grows when that CLI calls. */
export class GrowingTranscript implements Disposable {
  private readonly watch: FolderWatch;
  private readonly sizes = new Map<string, number>();
  /** By session id, when it was last seen to grow, by `performance.now()`. */
  private readonly grown = new Map<string, number>();
  private called = -Infinity;
  /** When all that grows with a call has grown: the first to do so may be another CLI's. */
  private readonly decision = new Throttle(coincidence, () => void this.decide());
  private sessionId: string | undefined;
  private isDisposed = false;

  constructor(
    private readonly folder: string,
    private readonly cli: { readonly cwd: string; readonly version: string },
    private readonly onFound: (sessionId: string) => void,
    watchOptions?: WatchOptions,
  ) {
    this.noteSizes();
    this.watch = new FolderWatch(folder, (name) => this.look(name), watchOptions);
  }

  get reasons(): string[] {
    return this.watch.reasons;
  }

  /** That CLI has just called a tool. */
  noteCall(): void {
    this.called = performance.now();
    this.decision.schedule();
  }

  dispose(): void {
    this.isDisposed = true;
    this.watch.dispose();
    this.decision.dispose();
  }

  private look(name?: string): void {
    const sessionIds = name === undefined ? this.noteSizes() : [sessionIdIn(name)];
    for (const sessionId of sessionIds) {
      if (sessionId !== undefined) {
        this.grown.set(sessionId, performance.now());
      }
    }
  }

  /** @returns which of them have another size than before */
  private noteSizes(): string[] {
    return namesIn(this.folder).flatMap((name) => {
      const sessionId = sessionIdIn(name);
      const size = statOf(join(this.folder, name))?.size;
      if (sessionId === undefined || size === undefined || size === this.sizes.get(sessionId)) {
        return [];
      }
      this.sizes.set(sessionId, size);
      return [sessionId];
    });
  }

  /** While its own grows with its calls, it is not left. */
  private async decide(): Promise<void> {
    const now = [...this.grown].filter(([, at]) => Math.abs(at - this.called) <= coincidence);
    const ids = now.map(([sessionId]) => sessionId);
    if (this.sessionId !== undefined && ids.includes(this.sessionId)) {
      return;
    }
    const fitting: string[] = [];
    for (const id of ids) {
      if (await this.canBeIts(id)) {
        fitting.push(id);
      }
    }
    if (this.isDisposed) {
      return;
    }
    const [found, second] = fitting;
    if (found !== undefined && second === undefined && found !== this.sessionId) {
      this.sessionId = found;
      this.onFound(found);
    }
  }

  private async canBeIts(sessionId: string): Promise<boolean> {
    const path = join(this.folder, transcriptName(sessionId));
    const begun = headOf(path, maxHead).find(({ cwd }) => cwd !== undefined)?.cwd;
    if (begun !== undefined && !isOfFolder(this.cli.cwd, begun)) {
      return false;
    }
    let version: string | undefined;
    await entriesBack(path, maxTail, (entry) => {
      version = entry.version;
      return version === undefined;
    });
    return version === this.cli.version;
  }
}
