import { redacted } from './redact.ts';

export interface LoggedMessage {
  /** ms since the epoch */
  readonly time: number;
  readonly session: number;
  readonly from: 'client' | 'bridge';
  /** Without any text of the user's, see `redacted`. */
  readonly message: unknown;
}

const capacity = 500;

/** The last messages of all sessions, for the protocol inspector. */
export class MessageLog {
  private readonly messages: LoggedMessage[] = [];

  add(session: number, from: LoggedMessage['from'], message: unknown): void {
    this.messages.push({ time: Date.now(), session, from, message: redacted(message) });
    if (this.messages.length > capacity) {
      this.messages.shift();
    }
  }

  /** Oldest first. */
  get all(): readonly LoggedMessage[] {
    return this.messages;
  }
}
