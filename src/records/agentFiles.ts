import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEntry } from './entries.ts';
import { isOwnFolder, namesIn, openRecord, readAt } from './recordFile.ts';
import { agentIdIn } from './transcriptPlace.ts';

/** bytes */
const maxFirstLine = 64 * 1024;

/** Where the sub-agents of a session write since 2.1. */
export function agentFolder(folder: string, sessionId: string): string {
  return join(folder, sessionId, 'subagents');
}

/** The transcripts that can be of a session's sub-agents. In 2.0 those of all sessions of a folder lie beside theirs. */
export function agentFiles(folder: string, sessionId: string): string[] {
  const own = isOwnFolder(join(folder, sessionId)) ? [agentFolder(folder, sessionId)] : [];
  return [...own, folder].flatMap((there) =>
    namesIn(there)
      .filter((name) => agentIdIn(name) !== undefined)
      .map((name) => join(there, name)),
  );
}

/** Whether it is; undefined while its first line, which says so, is not whole. */
export function isAgentOf(path: string, folder: string, sessionId: string): boolean | undefined {
  if (dirname(path) === agentFolder(folder, sessionId)) {
    return isOwnFolder(join(folder, sessionId)) || undefined;
  }
  const opened = openRecord(path);
  if (!('fd' in opened)) {
    return undefined;
  }
  try {
    const head = Buffer.alloc(Math.min(opened.stat.size, maxFirstLine));
    const end = head.subarray(0, readAt(opened.fd, head, 0)).indexOf('\n');
    const found = end < 0 ? undefined : parseEntry(head.subarray(0, end))?.sessionId;
    return found === undefined ? undefined : found === sessionId;
  } catch {
    return undefined;
  } finally {
    fs.closeSync(opened.fd);
  }
}
