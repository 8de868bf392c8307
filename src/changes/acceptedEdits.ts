import { withLf, withoutBom } from '../base/text.ts';
import { isSame } from './comparison.ts';
import type { Author } from './changeSet.ts';
import { type FileStep, merge } from './merge.ts';

/** What an accepted proposal has made of a file: from what would be there without it to what is there. */
export interface AcceptedEdit extends FileStep {
  readonly author: Author;
  readonly path: string;
  readonly to: Buffer;
}

interface Acceptance {
  readonly author: Author;
  readonly text: string;
  /** The file as the user saw it beside the proposal. */
  readonly from: Buffer | undefined;
  /** Until when the CLI is expected to write it, on the clock of the review. */
  until: number;
  /** How often its session has called since it announced to write it, that call included. */
  calls: number;
  isAnnounced: boolean;
}

/** Proposals from when the user accepts them until the CLI has written them, as it does by itself. */
export class AcceptedEdits {
  private readonly awaited = new Map<string, Acceptance>();

  /** @param read the file as it is now; undefined: there is none, or none that can be read */
  constructor(
    private readonly read: (path: string) => Buffer | undefined,
    private readonly now: () => number,
    /** ms */
    private readonly writeTime: number,
  ) {}

  /** @param text with LF line ends, as the CLI is told it */
  add(author: Author, path: string, text: string): void {
    const until = this.now() + this.writeTime;
    const from = this.read(path);
    this.awaited.set(path, { author, text, from, until, calls: 0, isAnnounced: false });
  }

  /** This session is about to write the file. */
  announced(author: Author, path: string): void {
    const acceptance = this.awaited.get(path);
    if (acceptance?.author === author) {
      acceptance.isAnnounced = true;
      acceptance.until = this.now() + this.writeTime;
    }
  }

  called(author: Author): void {
    for (const acceptance of this.awaited.values()) {
      acceptance.calls += acceptance.author === author && acceptance.isAnnounced ? 1 : 0;
    }
  }

  /** Each once. @param path all by default */
  takeWritten(path?: string): AcceptedEdit[] {
    return [...this.awaited.keys()]
      .filter((each) => path === undefined || each === path)
      .flatMap((each) => this.take(each));
  }

  private take(path: string): AcceptedEdit[] {
    const acceptance = this.awaited.get(path);
    if (!acceptance) {
      return [];
    }
    const { author, text, from, until, calls } = acceptance;
    const now = this.read(path);
    const isAsAccepted = now !== undefined && isText(now, text);
    // Called again, it has written, and what it wrote is no longer all that is there: as after a formatter.
    const isWritten = !isSame(now, from) && (isAsAccepted || calls > 1);
    if (isWritten || until < this.now()) {
      this.awaited.delete(path);
    }
    if (!isWritten || !now) {
      return [];
    }
    const without = isAsAccepted ? { bytes: from } : from && merge(bytesOf(text, from), now, from);
    return !without || isSame(without.bytes, now) ? [] : [{ author, path, from: without.bytes, to: now }];
  }
}

/** Whether these bytes are that text, however they are written. CLIs 2.0 and 1.0 lose the last line end. */
function isText(bytes: Buffer, text: string): boolean {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  const plain = (each: string) => withLf(withoutBom(each)).replace(/\n$/, '');
  return plain(bytes.toString(isWide ? 'utf16le' : 'utf8')) === plain(text);
}

/** As the CLI writes it over `from`. */
function bytesOf(text: string, from: Buffer): Buffer {
  return Buffer.from(from.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text);
}
