import { dirname, join } from 'node:path';
import { filesSince } from './agentFiles.ts';
import type { PastSession } from './pastSessions.ts';
import { isOwnFolder } from './recordFile.ts';

/**
 * Takes a conversation away, with what its sub-agents have written.
 * @param remove a file, or a folder with all that is in it
 * @throws what that does; what was to be removed after it is still there
 */
export async function removePast(
  { path, sessionId }: PastSession,
  remove: (path: string) => Promise<void>,
): Promise<void> {
  const folder = dirname(path);
  // In 2.0 those of sub-agents lie beside it.
  const beside = filesSince(folder, sessionId, 0).filter((each) => each !== path && dirname(each) === folder);
  for (const each of [path, ...beside]) {
    await remove(each);
  }
  const own = join(folder, sessionId);
  if (isOwnFolder(own)) {
    await remove(own);
  }
}
