import * as fs from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import type { Disposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import { replaceFile } from '../server/replaceFile.ts';

const saved = z.object({
  version: z.literal(1),
  lookedAt: z.optional(z.number()),
  /** By conversation. */
  until: z.record(z.string(), z.number()),
});

/** Of older ones the last edits are looked at again, should they ever go on; what was decided of these is known. */
const maxConversations = 500;

/** A connected session, as far as it must be known here. */
interface Watching {
  readonly connectedAt: number;
  /** It calls before and after each edit: up to then it was heard. */
  readonly lastUsed: number;
}

/**
 * Up to when the edits of each conversation with a CLI are known to this window, over its reloads. All times in ms since
 * the epoch. Too early does no harm: what was seen, or decided, is recognized. Too late would lose edits.
 */
export class Watched implements Disposable {
  private whenLooked: number | undefined;
  private readonly until = new Map<string, number>();
  /** The conversations of connected sessions, whose edits are announced. */
  private readonly current = new Map<Watching, string>();
  /** Of those that do not announce: up to when their record was followed. */
  private readonly followed = new WeakMap<Watching, number>();
  private readonly saving = new Throttle(1_000, () => this.save());

  /** @param path absolute; without, nothing is remembered @param announces whether its calls tell of its edits */
  constructor(
    private readonly path: string | undefined,
    private readonly announces: (session: object) => boolean,
  ) {
    this.load();
  }

  /** What was edited before was looked for in all conversations of this folder; undefined: never. */
  get lookedAt(): number | undefined {
    return this.whenLooked;
  }

  set lookedAt(time: number) {
    this.whenLooked = time;
    this.saveSoon();
  }

  untilOf(conversation: string): number | undefined {
    const [session] = [...this.current].find(([, each]) => each === conversation) ?? [];
    return session ? this.heard(session) : this.until.get(conversation);
  }

  saw(conversation: string, until: number): void {
    this.until.delete(conversation); // the newest come last
    this.until.set(conversation, until);
    this.saveSoon();
  }

  /** This session is in that conversation from now on, and announces what it edits. */
  begin(session: Watching, conversation: string): void {
    if (this.current.get(session) !== conversation) {
      this.end(session);
      this.current.set(session, conversation);
      this.saveSoon();
    }
  }

  /** An edit of that time was seen in the record of a connected session. */
  note(session: Watching, at: number): void {
    this.followed.set(session, Math.max(at, this.followed.get(session) ?? 0));
    this.saveSoon();
  }

  end(session: Watching): void {
    const conversation = this.current.get(session);
    if (conversation !== undefined) {
      this.current.delete(session);
      this.saw(conversation, this.heard(session));
    }
  }

  /** What is known up to now is on disk soon. */
  saveSoon(): void {
    this.saving.schedule();
  }

  dispose(): void {
    this.saving.flush();
  }

  private load(): void {
    try {
      const { lookedAt, until } = saved.parse(JSON.parse(fs.readFileSync(this.path ?? '', 'utf8')));
      const now = Date.now(); // the clock may have been put back
      this.whenLooked = lookedAt && Math.min(lookedAt, now);
      Object.entries(until).forEach(([conversation, time]) =>
        this.until.set(conversation, Math.min(time, now)),
      );
    } catch {
      // There is none yet, or none that can be understood: what is edited from now on is looked for the next time.
    }
  }

  private save(): void {
    if (this.path === undefined) {
      return;
    }
    this.current.forEach((conversation, session) => this.until.set(conversation, this.heard(session)));
    const until = Object.fromEntries([...this.until].slice(-maxConversations));
    const content: z.infer<typeof saved> = {
      version: 1,
      ...(this.whenLooked === undefined ? {} : { lookedAt: this.whenLooked }),
      until,
    };
    try {
      fs.mkdirSync(dirname(this.path), { recursive: true });
      replaceFile(this.path, JSON.stringify(content));
    } catch {
      // Then the next window looks from an earlier time on.
    }
  }

  private heard(session: Watching): number {
    const heard = this.announces(session) ? session.lastUsed : (this.followed.get(session) ?? 0);
    return Math.max(session.connectedAt, heard);
  }
}
