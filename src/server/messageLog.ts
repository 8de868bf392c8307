import { redacted } from './redact.ts';

export interface LoggedMessage {
  /** ms since the epoch */
  readonly time: number;
  readonly session: number;
  readonly from: 'client' | 'bridge';
  /** As JSON, which takes a fraction of what objects do; without any text of the user's, see `redacted`. */
  readonly message: string;
}

/** Of all together. */
const capacity = { messages: 500, characters: 1_000_000 };

/** The last messages of all sessions, for the protocol inspector. */
export class MessageLog {
  private readonly messages: LoggedMessage[] = [];
  private characters = 0;

  add(session: number, from: LoggedMessage['from'], message: unknown): void {
    const text = JSON.stringify(redacted(message));
    this.messages.push({ time: Date.now(), session, from, message: text });
    this.characters += text.length;
    while (this.messages.length > capacity.messages || this.characters > capacity.characters) {
      this.characters -= this.messages.shift()?.message.length ?? 0;
    }
  }

  /** Oldest first. */
  get all(): readonly LoggedMessage[] {
    return this.messages;
  }
}
