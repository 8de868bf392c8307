import type { PastSession } from './pastSessions.ts';

/** The last active first; of one that somebody has copied into another folder, the one that goes on. */
export function eachOnce(sessions: readonly PastSession[]): PastSession[] {
  const lastFirst = sessions.toSorted((a, b) => b.lastActive - a.lastActive);
  const first = new Map(lastFirst.toReversed().map((session) => [session.sessionId, session]));
  return lastFirst.filter((session) => first.get(session.sessionId) === session);
}
