import type { Memento } from 'vscode';
import * as z from 'zod/mini';
import { lenient } from '../records/lenient.ts';
import { type HeldWith, picksIn } from './picks.ts';

/** The one that was used last comes last. */
const records = z.array(
  z.object({
    sessionId: z.string(),
    picks: z.unknown(),
    own: lenient(z.unknown()),
    model: lenient(z.string()),
    isModelHeld: lenient(z.boolean()),
  }),
);
const stored = 'chat.threadPicks';
const maxRecords = 100;

/** What was picked for each conversation, over a reload of the window: what is picked for another is none of its own. */
export class ThreadPicks {
  constructor(private readonly memento: Memento) {}

  /** Of the conversation that was used last. */
  get last(): string | undefined {
    return this.all.at(-1)?.sessionId;
  }

  find(sessionId: string): HeldWith | undefined {
    const record = this.all.find((each) => each.sessionId === sessionId);
    return record && { ...record, picks: picksIn(record.picks), own: picksIn(record.own) };
  }

  note(sessionId: string | undefined, heldWith: HeldWith): void {
    if (sessionId !== undefined) {
      const others = this.all.filter((each) => each.sessionId !== sessionId);
      void this.memento.update(stored, [...others, { ...heldWith, sessionId }].slice(-maxRecords));
    }
  }

  private get all(): z.infer<typeof records> {
    return records.safeParse(this.memento.get(stored)).data ?? [];
  }
}
