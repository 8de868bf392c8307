import type { Event } from '../base/emitter.ts';

/** One client's connection, without the socket. `onDidClose` fires once. */
export interface Transport {
  readonly onDidReceive: Event<string>;
  readonly onDidClose: Event<void>;
  /** Of the URL at which the client has connected, with what follows a `?`. */
  readonly path?: string | undefined;
  send(text: string): void;
  /** @param reason told to the client, when it has broken a rule */
  close(reason?: string): void;
}
