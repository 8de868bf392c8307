import { StringDecoder } from 'node:string_decoder';

export interface JsonLinesListener {
  onJson(json: unknown): void;
  /** A line that says nothing to us. @param text its beginning; @param bytes its whole length */
  onUnreadable(text: string, bytes: number): void;
}

/** Bytes. A picture in a tool's result is some megabytes; nothing that a model reads or writes comes near this. */
export const maxLineBytes = 32 * 1024 * 1024;

/** Characters that are kept of an unreadable line. */
const shownOfUnreadable = 1_000;

/**
 * Takes a stream of JSON, one value per line, as its pieces come. A line that is too long is let go by: neither is it
 * kept in memory, nor does it stop what comes after it.
 */
export class JsonLines {
  private pieces: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly listener: JsonLinesListener,
    private readonly maxBytes = maxLineBytes,
  ) {}

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      this.keep(chunk.subarray(from, at));
      this.endLine();
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
  }

  /** What stands without a line end is a line, too. */
  end(): void {
    this.endLine();
  }

  private keep(piece: Buffer): void {
    const isShort = this.bytes + piece.length <= this.maxBytes;
    this.bytes += piece.length;
    if (isShort) {
      this.pieces.push(piece);
    } else {
      this.pieces = [Buffer.concat(this.pieces).subarray(0, shownOfUnreadable)];
    }
  }

  private endLine(): void {
    const { bytes, pieces } = this;
    this.pieces = [];
    this.bytes = 0;
    const line = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    if (bytes > this.maxBytes) {
      this.listener.onUnreadable(beginning(line), bytes);
      return;
    }
    const text = line.toString('utf8').trim();
    if (text === '') {
      return;
    }
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      this.listener.onUnreadable(beginning(line), bytes);
      return;
    }
    this.listener.onJson(json);
  }
}

/** Without half a character at its end. */
function beginning(line: Buffer): string {
  return new StringDecoder('utf8').write(line.subarray(0, shownOfUnreadable)).trimEnd();
}
