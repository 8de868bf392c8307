import { createHash } from 'node:crypto';
import type { Memento } from 'vscode';
import * as z from 'zod/mini';

/** The newest last. */
const records = z.array(z.object({ thread: z.string(), sessionId: z.string() }));
const stored = 'chat.threads';
const maxRecords = 100;

/** What an address has once it has been asked for it: the same one may be without. */
const derived: ReadonlySet<string> = new Set(['external', 'fsPath', '_sep']);

/**
 * The same for all requests of a thread, also in another extension host. The API has no name for a thread: the token of a
 * request, whatever is in it, is told apart by its value, and by the prompt with which the thread began.
 * @returns undefined where nothing tells threads apart
 */
export function threadKey(token: unknown, firstPrompt: string): string | undefined {
  const value = JSON.stringify(token, (name, part: unknown) => (derived.has(name) ? undefined : part));
  return typeof token === 'object' && value !== '{}' && value !== 'null'
    ? createHash('sha256')
        .update(JSON.stringify([value, firstPrompt]))
        .digest('base64url')
    : undefined;
}

/** Which session each thread was held with last: an answer that the end of the extension host cuts off remembers nothing. */
export class ThreadRecords {
  constructor(private readonly memento: Memento) {}

  find(key: string | undefined): string | undefined {
    return this.all.find(({ thread }) => thread === key)?.sessionId;
  }

  /** @param sessionId undefined: none yet */
  note(key: string | undefined, sessionId: string | undefined): void {
    if (key !== undefined && this.find(key) !== sessionId) {
      const others = this.all.filter(({ thread }) => thread !== key);
      const all = sessionId === undefined ? others : [...others, { thread: key, sessionId }];
      void this.memento.update(stored, all.slice(-maxRecords));
    }
  }

  private get all(): z.infer<typeof records> {
    return records.safeParse(this.memento.get(stored)).data ?? [];
  }
}
