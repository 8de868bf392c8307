import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { Queue } from '../base/queue.ts';
import { Throttle } from '../base/throttle.ts';
import type { Git } from '../server/git.ts';
import { checkIgnore } from './checkIgnore.ts';

/** ms after which a look at an answer has Git asked again: some ways to ignore a file lie where nothing is watched. */
const maxAge = 30_000;
/** ms after which an answer counts no longer, and one that nobody has looked at is not asked anew. */
const lifetime = 5 * 60_000;

interface Answer {
  readonly isIgnored: boolean;
  /** When Git was asked, and when somebody looked at it: ms on the clock of `GitIgnored`. */
  readonly at: number;
  lookedAt: number;
}

/**
 * Asks Git, in the background, which files it ignores. Only of the workspace, which the user trusts: Git reads what a
 * repository elsewhere says, and be it one that lies where a link of the workspace leads.
 */
export class GitIgnored implements Disposable {
  private readonly known = new Map<string, Answer>();
  /** Counts the changes of the rules: an answer by those from before does not count. */
  private era = 0;
  private asked = new Set<string>();
  private readonly learned = new Emitter<void>();
  private readonly throttle = new Throttle(20, () => void this.ask());
  /** One after the other, so that the last answer counts. */
  private readonly queue = new Queue();

  /** More is known, or what was known is no longer true. */
  readonly onDidLearn = this.learned.event;

  constructor(
    private readonly git: Git,
    /** Of a folder by its real path. */
    private readonly mayAsk: (folder: string) => boolean,
    /** In ms, on a clock that nobody sets. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Undefined while it is not known; then `onDidLearn` follows, unless Git fails or may not be asked: that is tried again
   * the next time.
   */
  isIgnored(path: string): boolean | undefined {
    const now = this.now();
    const known = this.known.get(path);
    const age = known ? now - known.at : Infinity;
    if (age > maxAge) {
      this.asked.add(path);
      this.throttle.schedule();
    }
    if (!known || age > lifetime) {
      this.known.delete(path);
      return undefined;
    }
    known.lookedAt = now;
    return known.isIgnored;
  }

  /** Asks of these, known or not, and resolves when Git has answered or failed. */
  async learn(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      this.asked.add(path);
    }
    await this.ask();
  }

  /** The rules are others: nothing is known until Git has answered anew. */
  forget(): void {
    this.era++;
    if (this.known.size > 0) {
      this.known.clear();
      this.learned.fire();
    }
  }

  /** Some answers may be others: asks again of those that somebody looks at, which count until then. */
  renew(): void {
    for (const [path, { lookedAt }] of this.known) {
      if (this.now() - lookedAt > lifetime) {
        this.known.delete(path);
      } else {
        this.asked.add(path);
      }
    }
    this.throttle.schedule();
  }

  dispose(): void {
    this.throttle.dispose();
    this.learned.dispose();
  }

  private ask(): Promise<void> {
    return this.queue.run(async () => {
      const { asked } = this;
      this.asked = new Set();
      let hasLearned = false;
      let era: number;
      do {
        era = this.era;
        // By folder: each may be in a repository of its own, or in none.
        for (const folder of new Set([...asked].map((path) => dirname(path)))) {
          const paths = [...asked].filter((path) => dirname(path) === folder);
          hasLearned = (await this.askOf(folder, paths)) || hasLearned;
        }
        // With new rules, the folders that were asked first are forgotten again.
      } while (era !== this.era);
      // Whoever hears of it asks again: where nothing can be learned, that would never end.
      if (hasLearned) {
        this.learned.fire();
      }
    });
  }

  /** @returns whether more or something else is known */
  private async askOf(folder: string, paths: readonly string[]): Promise<boolean> {
    const { era } = this;
    const at = this.now();
    const place = await realpath(folder).catch(() => undefined);
    const names = paths.map((path) => basename(path));
    const ignored =
      place !== undefined && this.mayAsk(place) ? await checkIgnore(this.git, place, names) : undefined;
    if (era !== this.era) {
      return false;
    }
    let hasLearned = false;
    for (const path of paths) {
      const known = this.known.get(path);
      const isIgnored = ignored?.has(basename(path));
      hasLearned ||= isIgnored !== known?.isIgnored;
      if (isIgnored === undefined) {
        this.known.delete(path);
      } else {
        this.known.set(path, { isIgnored, at, lookedAt: known?.lookedAt ?? at });
      }
    }
    return hasLearned;
  }
}
