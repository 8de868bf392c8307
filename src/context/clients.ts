import type { Event } from '../base/emitter.ts';
import type { Notifications } from '../protocol/ide.ts';
import type { Session } from '../server/session.ts';

/** The sessions, as those who push to them see them. */
export interface Clients {
  readonly onDidIdentify: Event<Session>;
  readonly onDidUse: Event<Session>;
  broadcast<M extends keyof Notifications>(method: M, params: Notifications[M]): void;
}
