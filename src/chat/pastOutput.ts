import { readPast } from '../agent/history.ts';
import type { ToolResult } from '../agent/items.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { OutputPlace } from './surface.ts';

/** What a tool has said, as the CLI has written it down. */
export async function pastOutput(
  records: SessionRecords,
  { sessionId, toolUseId }: OutputPlace,
): Promise<ToolResult | undefined> {
  const session = await (await records.open())?.past.find(sessionId);
  const item = session && (await readPast(session)).conversation.get(toolUseId);
  return item?.kind === 'toolUse' ? item.result : undefined;
}
