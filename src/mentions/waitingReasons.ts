import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import type { Memory } from './mentions.ts';

/** Why a proposal was rejected, or a review of what was changed, for the CLI of that process. */
export interface Reason {
  readonly pid: number;
  /** See `beginOf`. */
  readonly began: string | undefined;
  /** What the session was called, fit to be shown. */
  readonly label: string;
  /** `reason for a.ts`, `review with 2 comments`; fit to be shown. */
  readonly name: string;
  readonly words: string;
  /** The id of a review, which has several lines. */
  readonly review?: string | undefined;
}

/** What they are called together. */
export function kindOf(reasons: readonly Reason[]): 'Reason' | 'Review' | 'Message' {
  const reviews = reasons.filter(({ review }) => review !== undefined).length;
  return reviews === 0 ? 'Reason' : reviews === reasons.length ? 'Review' : 'Message';
}

const rememberedReasons = 'waitingReasons';

/** Those that their CLIs have no prompt for now, oldest first; kept over a reload of the window. */
export class WaitingReasons implements Disposable {
  private reasons: readonly Reason[];
  private readonly changed = new Emitter<void>();
  private readonly pasted = new Emitter<Reason>();

  readonly onDidChange = this.changed.event;
  /** Before it counts as gone. */
  readonly onDidPaste = this.pasted.event;

  constructor(private readonly memory: Memory) {
    const remembered = memory.get<(Reason & { fileName?: string })[]>(rememberedReasons, []);
    // Those of a version that knew no reviews have the name of their file instead.
    this.reasons = remembered.map((reason) => ({
      ...reason,
      name: reason.name ?? `reason for ${reason.fileName}`,
    }));
  }

  get all(): readonly Reason[] {
    return this.reasons;
  }

  has(reason: Reason): boolean {
    return this.reasons.includes(reason);
  }

  add(reason: Reason): void {
    this.set([...this.reasons, reason]);
  }

  remove(reason: Reason): void {
    this.set(this.reasons.filter((other) => other !== reason));
  }

  didPaste(reason: Reason): void {
    this.pasted.fire(reason);
    this.remove(reason);
  }

  discard(): void {
    this.set([]);
  }

  dispose(): void {
    this.changed.dispose();
    this.pasted.dispose();
  }

  private set(reasons: readonly Reason[]): void {
    this.reasons = reasons;
    void this.memory.update(rememberedReasons, reasons.length > 0 ? reasons : undefined);
    this.changed.fire();
  }
}
