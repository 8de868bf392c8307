import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../server/replaceFile.ts';
import type { LeftText } from './leftTexts.ts';

/** Of one file, in bytes: a larger text is not kept. A proposal comes in a message of at most 16 MB. */
export const maxBytes = 32 * 1024 * 1024;

/** What the user has made of a proposal. `uri` is that of the proposed side; of one `id` the last text is kept. */
export interface TypedText {
  readonly id: string;
  readonly uri: string;
  readonly language: string;
  readonly text: string;
}

/** The texts on disk, one file per id, which only this user can read: they outlive the extension host. */
export class TypedTexts {
  private readonly host = { pid: process.pid, id: randomUUID() };

  /** @param dir absolute; made when first written to. Other windows may have theirs in it, too */
  constructor(private readonly dir: string) {}

  /** @throws when it cannot be written */
  keep(typed: TypedText): void {
    const content = Buffer.from(JSON.stringify({ ...typed, host: this.host }));
    if (content.length > maxBytes) {
      throw new Error(`${content.length} bytes are too many to be kept.`);
    }
    fs.mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    replaceFile(this.pathOf(typed.id), content);
  }

  /** @throws when it is there and cannot be deleted */
  forget(id: string): void {
    fs.rmSync(this.pathOf(id), { force: true });
  }

  /**
   * What other extension hosts have kept, however long ago: the user may not have opened this workspace since.
   * @param isHere whether what windows on other workspaces have kept belongs here, too
   * @param isOurs whether this window is to have it: it goes on with it from then on
   * @throws when a folder cannot be read or written
   */
  async ofOthers(
    isHere: (left: LeftText) => boolean,
    isOurs: (left: LeftText) => boolean,
  ): Promise<LeftText[]> {
    if (!fs.existsSync(dirname(this.dir))) {
      return [];
    }
    const { leftTexts } = await import('./leftTexts.ts');
    return leftTexts(this.dir, isHere, isOurs).filter(({ hostId }) => hostId !== this.host.id);
  }

  private pathOf(id: string): string {
    return join(this.dir, `${createHash('sha256').update(id).digest('hex')}.json`);
  }
}
