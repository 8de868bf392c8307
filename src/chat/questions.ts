import { randomUUID } from 'node:crypto';
import { Deferred } from '../base/deferred.ts';

/**
 * What a button does: gives the answer, or undefined where the user has thought better of it.
 * @param over the question has been answered by another button, or nobody waits for it any more
 */
export type Choices<T> = Readonly<Record<string, (over: AbortSignal) => Promise<T | undefined> | T>>;

interface Open {
  readonly choices: Choices<unknown>;
  readonly answer: Deferred<unknown>;
  readonly over: AbortController;
}

/** What the agents of the chat ask. A button names its question by an id that no other ever has: it answers that, or nothing. */
export class Questions {
  private readonly open = new Map<string, Open>();

  /**
   * @param signal nobody waits for the answer any more
   * @returns the answer; undefined once it comes too late
   */
  put<T>(
    choices: Choices<T>,
    signal: AbortSignal,
  ): { readonly id: string; readonly answer: Promise<T | undefined> } {
    const id = randomUUID();
    const answer = new Deferred<T | undefined>();
    const over = new AbortController();
    const end = () => {
      this.open.delete(id);
      answer.settle(undefined);
      over.abort();
    };
    if (signal.aborted) {
      end();
    } else {
      this.open.set(id, { choices, answer: answer as Deferred<unknown>, over });
      signal.addEventListener('abort', end, { once: true });
    }
    return { id, answer: answer.promise };
  }

  /** @returns whether there was such a question, and still is when the user has chosen */
  async choose(id: unknown, choice: unknown): Promise<boolean> {
    const question = typeof id === 'string' ? this.open.get(id) : undefined;
    if (!question || typeof choice !== 'string' || !Object.hasOwn(question.choices, choice)) {
      return false;
    }
    const answer = await question.choices[choice]?.(question.over.signal);
    if (answer === undefined) {
      return true; // it is still open, or has been closed in sight
    }
    this.open.delete(id as string);
    const isFirst = question.answer.settle(answer);
    question.over.abort();
    return isFirst;
  }
}
