import * as fs from 'node:fs';
import type { Disposable } from '../base/disposable.ts';
import { breathe, openRecord, readAt, whyNot } from './recordFile.ts';

/** Told within `read()`, in order. */
export interface LineSink {
  /** One whole line, without its end. The bytes are good during the call only. */
  line(bytes: Buffer): void;
  /** A line of that many bytes was over the limit. */
  skipped(bytes: number): void;
  /**
   * What was read before is no longer the beginning of the file.
   * @returns whether its lines are told from its start again; else nothing is until `startAt`
   */
  restarted(): boolean;
}

export interface LineLimits {
  /** Bytes of a line that is still told; of a longer one nothing is held. */
  readonly line: number;
  /** Bytes read at a time, between which others have their turn. */
  readonly chunk: number;
}

/** A line with a whole file in it, twice, is still one; system prompts and requests are below 1 MB. */
export const lineLimits: LineLimits = { line: 16 * 1024 * 1024, chunk: 256 * 1024 };

const newline = 0x0a;
/** So many of the last bytes must still be there, or the file is another one, whatever its size. */
const markBytes = 64;

/** Follows the whole lines of a file that grows, from where it was left. Watches nothing: `read()` looks. */
export class LineTail implements Disposable {
  /** Of the next byte to be read, from the file's start. */
  private position = 0;
  private file: { dev: number; ino: number } | undefined;
  /** The last bytes before `position`. */
  private mark = Buffer.alloc(0);
  /** The beginning of a line whose end has not been written. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  private isSkipping = false;
  private isDue = false;
  /** Until `startAt`. */
  private isHalted = false;
  private isDisposed = false;
  private running: Promise<void> | undefined;

  /** Why the file cannot be read now; undefined also if there is none. */
  reason: string | undefined;
  /** Whether the file was there when it was last looked for. */
  isThere = false;

  constructor(
    readonly path: string,
    private readonly sink: LineSink,
    private readonly limits: LineLimits = lineLimits,
  ) {}

  /** Goes on there, which is the start of a line, in that file. */
  startAt(position: number, file: { dev: number; ino: number } | undefined): void {
    this.position = position;
    this.file = file && { dev: file.dev, ino: file.ino };
    this.mark = Buffer.alloc(0);
    this.isHalted = false;
  }

  /** Settles when all that was there at the time of the call has been told. Never rejects for what a file is like. */
  read(): Promise<void> {
    this.isDue = true;
    return (this.running ??= Promise.resolve().then(() => this.drain()));
  }

  dispose(): void {
    this.isDisposed = true;
    this.held = [];
  }

  private async drain(): Promise<void> {
    try {
      while (this.isDue && !this.isDisposed && !this.isHalted) {
        this.isDue = false;
        await this.readOnce();
      }
    } finally {
      this.running = undefined; // at once: who calls from now on starts anew
    }
  }

  private async readOnce(): Promise<void> {
    const opened = openRecord(this.path);
    this.isThere = 'fd' in opened || opened.reason !== undefined;
    this.reason = 'fd' in opened ? undefined : opened.reason;
    if (!('fd' in opened)) {
      return; // one that comes back is told by what it is
    }
    const { fd, stat } = opened;
    try {
      this.settleStart(fd, stat);
      if (!this.isHalted) {
        await this.readOn(fd, stat.size);
      }
    } catch (error) {
      this.reason = whyNot(this.path, error);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Where the file is not the one that was read, or is shorter, all begins anew. */
  private settleStart(fd: number, { dev, ino, size }: fs.Stats): void {
    const isSame = this.file === undefined || (this.file.dev === dev && this.file.ino === ino);
    this.file = { dev, ino };
    if (this.position > 0 && !(isSame && size >= this.position && this.hasMark(fd))) {
      this.position = 0;
      this.mark = Buffer.alloc(0);
      this.forget();
      this.isSkipping = false;
      this.isHalted = true; // before it is told: `startAt` may come within the call
      if (this.sink.restarted()) {
        this.isHalted = false;
      }
    }
  }

  private hasMark(fd: number): boolean {
    const there = Buffer.alloc(this.mark.length);
    return readAt(fd, there, this.position - this.mark.length) === there.length && there.equals(this.mark);
  }

  private async readOn(fd: number, size: number): Promise<void> {
    const { chunk } = this.limits;
    if (size <= this.position) {
      return;
    }
    const buffer = Buffer.allocUnsafe(Math.min(chunk, size - this.position));
    for (;;) {
      const bytes = buffer.subarray(0, fs.readSync(fd, buffer, 0, buffer.length, this.position));
      if (bytes.length === 0) {
        return;
      }
      this.position += bytes.length;
      this.keepMark(bytes);
      this.split(bytes);
      if (this.isDisposed || this.position >= size) {
        return; // what came meanwhile is announced
      }
      await breathe();
      if (this.isDisposed) {
        return;
      }
    }
  }

  private keepMark(bytes: Buffer): void {
    this.mark =
      bytes.length >= markBytes
        ? Buffer.from(bytes.subarray(-markBytes))
        : Buffer.concat([this.mark, bytes]).subarray(-markBytes);
  }

  private split(bytes: Buffer): void {
    let from = 0;
    for (let to = bytes.indexOf(newline); to >= 0; to = bytes.indexOf(newline, from)) {
      this.end(bytes.subarray(from, to));
      from = to + 1;
    }
    if (from < bytes.length) {
      this.hold(bytes.subarray(from));
    }
  }

  private end(last: Buffer): void {
    const length = this.heldBytes + last.length;
    const isTooLong = this.isSkipping || length > this.limits.line;
    const line = isTooLong || this.held.length === 0 ? last : Buffer.concat([...this.held, last]);
    this.forget();
    this.isSkipping = false;
    if (isTooLong) {
      this.sink.skipped(length);
    } else if (length > 0) {
      this.sink.line(line);
    }
  }

  private hold(bytes: Buffer): void {
    this.heldBytes += bytes.length;
    if (this.isSkipping || this.heldBytes > this.limits.line) {
      this.isSkipping = true;
      this.held = [];
    } else {
      this.held.push(Buffer.from(bytes)); // the next chunk comes into the same buffer
    }
  }

  private forget(): void {
    this.held = [];
    this.heldBytes = 0;
  }
}
