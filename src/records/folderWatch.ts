import * as fs from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import { errorCode, errorMessage, isNotFound } from '../base/errors.ts';
import { statOf } from './recordFile.ts';

export interface WatchOptions {
  /** ms between two looks where the system does not watch. */
  readonly interval: number;
  /** `fs.watch`, which tests may have fail. */
  readonly watch: typeof fs.watch;
}

const defaults: WatchOptions = { interval: 2_000, watch: fs.watch };

/**
 * Tells of what changes in a folder, itself not a link, which may come, go and come back. The system watches; only where
 * it refuses to is the folder looked at from time to time.
 */
export class FolderWatch implements Disposable {
  private watcher: fs.FSWatcher | undefined;
  /** While there is no such folder. */
  private above: FolderWatch | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private ino: number | undefined;
  private isDisposed = false;

  /** Why it is looked at instead of watched. */
  reason: string | undefined;

  /** @param onChange called with the name of what has changed in the folder, without one when it can be anything */
  constructor(
    readonly folder: string,
    private readonly onChange: (name?: string) => void,
    private readonly options: WatchOptions = defaults,
  ) {
    this.open();
  }

  get reasons(): string[] {
    return [this.reason, ...(this.above?.reasons ?? [])].filter((reason) => reason !== undefined);
  }

  dispose(): void {
    this.isDisposed = true;
    this.close();
  }

  private close(): void {
    this.watcher?.close();
    this.above?.dispose();
    clearInterval(this.timer);
    this.watcher = this.above = this.timer = this.ino = undefined;
  }

  private open(): void {
    this.close();
    this.reason = undefined;
    try {
      const stat = fs.lstatSync(this.folder);
      if (!stat.isDirectory()) {
        throw new Error(stat.isSymbolicLink() ? 'a link' : 'not a folder');
      }
      this.watcher = this.options.watch(this.folder, { persistent: false }, (kind, name) =>
        this.hear(kind, name),
      );
      this.watcher.on('error', (error) => this.fail(error));
      this.ino = stat.ino;
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (this.isDisposed) {
      return;
    }
    this.close();
    if (isNotFound(error) && dirname(this.folder) !== this.folder) {
      const name = basename(this.folder);
      const look = (changed?: string) => {
        if (changed === undefined || changed === name) {
          this.reopen();
        }
      };
      this.above = new FolderWatch(dirname(this.folder), look, this.options);
      if (fs.existsSync(this.folder)) {
        this.reopen(); // it came in between
      }
      return;
    }
    this.reason = `${this.folder} is looked at every ${this.options.interval / 1_000} s (${errorCode(error) ?? errorMessage(error)})`;
    this.timer = setInterval(() => this.lookAgain(), this.options.interval);
    this.timer.unref();
  }

  private lookAgain(): void {
    this.open(); // watches once the system lets it
    this.onChange();
  }

  private reopen(): void {
    if (!this.isDisposed && fs.existsSync(this.folder)) {
      this.open();
      this.onChange();
    }
  }

  private hear(kind: string, name: string | null): void {
    if (this.isDisposed) {
      return;
    }
    // The folder itself, when it goes, has its own name on Linux; one with that name in it is looked for, too.
    const mayBeItself = name === null || name === basename(this.folder);
    if (kind === 'rename' && mayBeItself && this.inodeNow() !== this.ino) {
      this.open();
      this.onChange();
    } else {
      this.onChange(name ?? undefined);
    }
  }

  private inodeNow(): number | undefined {
    return statOf(this.folder)?.ino;
  }
}
