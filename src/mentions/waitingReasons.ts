import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import type { Memory } from './mentions.ts';

/** Why a proposal was rejected, for the CLI of that process. */
export interface Reason {
  readonly pid: number;
  /** See `beginOf`. */
  readonly began: string | undefined;
  /** What the session was called, fit to be shown; so is the name of the file. */
  readonly label: string;
  readonly fileName: string;
  readonly words: string;
}

const rememberedReasons = 'waitingReasons';

/** Those that their CLIs have no prompt for now, oldest first; kept over a reload of the window. */
export class WaitingReasons implements Disposable {
  private reasons: readonly Reason[];
  private readonly changed = new Emitter<void>();

  readonly onDidChange = this.changed.event;

  constructor(private readonly memory: Memory) {
    this.reasons = memory.get<Reason[]>(rememberedReasons, []);
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

  discard(): void {
    this.set([]);
  }

  dispose(): void {
    this.changed.dispose();
  }

  private set(reasons: readonly Reason[]): void {
    this.reasons = reasons;
    void this.memory.update(rememberedReasons, reasons.length > 0 ? reasons : undefined);
    this.changed.fire();
  }
}
