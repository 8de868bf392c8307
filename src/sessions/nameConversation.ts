import { setName } from '../records/pastNames.ts';
import type { Session } from '../server/session.ts';
import type { SessionRecords } from './sessionRecords.ts';

/** So that it is still called as its session was once it is past. */
export async function nameConversation(records: SessionRecords, session: Session): Promise<void> {
  const sessionId = records.of(session)?.sessionId;
  if (records.names && sessionId !== undefined) {
    await setName(records.names, sessionId, session.label);
  }
}
