import * as fs from 'node:fs';
import { withLf } from '../base/text.ts';

/** The largest file that extensions get as text. */
const maxBytes = 50 * 1024 * 1024;

/** A file as it is on disk; undefined: none, or one that is too large to be looked at. */
export type Bytes = Buffer | undefined;

/**
 * The file that a proposal was made for. By its bytes on disk: what encoding the editor takes it for, and what is unsaved
 * in it, is another matter.
 */
export class BaseFile {
  /** When it was proposed. */
  readonly bytes: Bytes;
  /** When it was last looked at. */
  now: Bytes;
  /** What the proposed side was made for, or merged with last. */
  madeFor: Bytes;
  private stamp = '';
  /** What the proposed side was made for when it held that text, with LF line ends: undo and redo lead back and forth over merges. */
  readonly targets = new Map<string, Bytes>();

  constructor(private readonly path: string) {
    this.look();
    this.bytes = this.madeFor = this.now;
  }

  get isOutdated(): boolean {
    return !isSame(this.now, this.madeFor);
  }

  /** @returns whether it is another than when it was proposed, or was merged with another */
  look(): boolean {
    try {
      const stat = fs.statSync(this.path, { bigint: true });
      const stamp = [stat.ino, stat.ctimeNs, stat.mtimeNs, stat.size].join();
      if (stamp !== this.stamp) {
        // To read a pipe would block the whole extension host.
        this.now = stat.isFile() && stat.size <= maxBytes ? fs.readFileSync(this.path) : undefined;
        this.stamp = stamp;
      }
    } catch {
      this.now = undefined;
      this.stamp = '';
    }
    return this.isOutdated || !isSame(this.now, this.bytes);
  }

  /** The proposed side holds that text. */
  follow(text: string): void {
    const lines = this.targets.size > 0 ? withLf(text) : '';
    if (this.targets.has(lines)) {
      this.madeFor = this.targets.get(lines);
    }
  }
}

function isSame(a: Bytes, b: Bytes): boolean {
  return a === b || (a !== undefined && b?.equals(a) === true);
}
