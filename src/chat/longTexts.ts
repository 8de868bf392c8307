import { randomUUID } from 'node:crypto';

interface LongText {
  readonly title: string;
  readonly text: string;
}

const maxKept = 50;

/** The last texts that were too long for the chat, for as long as the window lives. */
export class LongTexts {
  private readonly kept = new Map<string, LongText>();

  /** @returns by what it is found again */
  keep(title: string, text: string): string {
    const id = randomUUID();
    this.kept.set(id, { title, text });
    const [oldest] = this.kept.keys();
    if (this.kept.size > maxKept && oldest !== undefined) {
      this.kept.delete(oldest);
    }
    return id;
  }

  find(id: unknown): LongText | undefined {
    return typeof id === 'string' ? this.kept.get(id) : undefined;
  }
}
