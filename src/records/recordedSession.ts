import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import type { RecordedEdit, RecordEvent, RecordSource, SessionState, ToolUse, Turn } from './events.ts';

/** A running CLI and what its records tell, for as long as it is attached. */
export class RecordedSession implements Disposable {
  private readonly happened = new Emitter<RecordEvent>();

  /**
   * Everything that happens from now on, in order. What was there before (the last turn) is in the properties below once
   * `ready` has settled, and makes no events.
   */
  readonly onDidHappen = this.happened.event;

  /** Settles when the last turn has been read, or it is known that nothing can be; never rejects. */
  readonly ready: Promise<void> = Promise.resolve();

  constructor(readonly pid: number) {}

  sessionId: string | undefined;
  /** Undefined where no record tells it truthfully. */
  state: SessionState | undefined;
  /** The permission mode: `default`, `acceptEdits`, `plan`, … */
  mode: string | undefined;
  model: string | undefined;
  contextTokens: number | undefined;
  /** The turn that runs, or the last. */
  turn: Turn | undefined;
  /** Begun and not ended, of the session and of its sub-agents. */
  openTools: readonly ToolUse[] = [];
  source: RecordSource = { known: 'nothing', reasons: [] };

  /** Turns from the last one back, at most so many, from at most so many bytes at the transcript's end. */
  recentTurns(_limit: { turns: number; bytes?: number }): Promise<{ turns: Turn[]; isComplete: boolean }> {
    throw new Error('not yet');
  }

  /** What this session and its sub-agents have edited since then (ms since the epoch), oldest first. */
  editsSince(
    _time: number,
    _limit?: { bytes: number },
  ): Promise<{ edits: RecordedEdit[]; isComplete: boolean }> {
    throw new Error('not yet');
  }

  /** Looks now, and settles when what is there has been told: for those who know before the system does. */
  refresh(): Promise<void> {
    throw new Error('not yet');
  }

  dispose(): void {
    this.happened.dispose();
  }
}
