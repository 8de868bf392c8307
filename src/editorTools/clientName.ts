import type { Session } from '../server/session.ts';

/** What a client of the editor tools is called, fit to be shown. */
export function clientName({ clientInfo }: Session): string {
  const name = clientInfo?.name ?? 'a client';
  return name === 'claude-code' ? 'Claude Code' : name;
}
