import { readPast } from '../agent/history.ts';
import type { ToolResult } from '../agent/items.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { OutputPlace } from './surface.ts';

/** What a tool has said, as the CLI has written it down. */
export async function pastOutput(
  records: SessionRecords,
  folder: string,
  { sessionId, toolUseId }: OutputPlace,
): Promise<ToolResult | undefined> {
  const sessions = (await (await records.open())?.past?.list(folder)) ?? [];
  const session = sessions.find((each) => each.sessionId === sessionId);
  const item = session && (await readPast(session)).conversation.get(toolUseId);
  return item?.kind === 'toolUse' ? item.result : undefined;
}
