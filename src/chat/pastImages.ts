import { type ImageSum, noImages } from '../agent/promptImages.ts';
import { imagesBack } from '../records/imagesBack.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';

/** What the prompts of a session and the results of its tools have had as images until then (ms since the epoch), as the CLI has written it down. */
export async function pastImages(
  records: SessionRecords,
  sessionId: string,
  until: number,
): Promise<ImageSum> {
  const session = await (await records.open())?.past.find(sessionId);
  return session ? imagesBack(session.path, sessionId, until) : noImages;
}
