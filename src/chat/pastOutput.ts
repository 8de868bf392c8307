import { dirname } from 'node:path';
import { readPast } from '../agent/history.ts';
import type { ToolResult } from '../agent/items.ts';
import { filesSince } from '../records/agentFiles.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { OutputPlace } from './surface.ts';

/**
 * What a tool has said, as the CLI has written it down: in the conversation's own transcript, or in that of a sub-agent.
 * @throws {UserError} when one cannot be read
 */
export async function pastOutput(
  records: SessionRecords,
  { sessionId, toolUseId }: OutputPlace,
): Promise<ToolResult | undefined> {
  const session = await (await records.open())?.past.find(sessionId);
  for (const path of session ? filesSince(dirname(session.path), sessionId, 0) : []) {
    const { conversation } = await readPast({ path, sessionId }, { withAgents: true });
    const item = conversation.get(toolUseId);
    if (item?.kind === 'toolUse' && item.result) {
      return item.result;
    }
  }
  return undefined;
}
