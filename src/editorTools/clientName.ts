import type { Session } from '../server/session.ts';

/** What the user knows a client of these tools by: a name that it gives itself. */
export function clientName({ clientInfo }: Session): string {
  const name = clientInfo?.name ?? 'A client';
  return name === 'claude-code' ? 'Claude Code' : name;
}
