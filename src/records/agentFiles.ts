import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEntry } from './entries.ts';
import { isOwnFolder, namesIn, openRecord, readAt } from './recordFile.ts';
import { agentIdIn } from './transcriptPlace.ts';

/** bytes of a first line, which holds a prompt: what is read of it, and what if it is longer */
const firstLine = { most: 64 * 1024, max: 1024 * 1024 };

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
export function isAgentOf(path: string, folder: string, sessionId: string): boolean | 'too long' | undefined {
  if (dirname(path) === agentFolder(folder, sessionId)) {
    return isOwnFolder(join(folder, sessionId)) || undefined;
  }
  const opened = openRecord(path);
  if (!('fd' in opened)) {
    return undefined;
  }
  const { fd, stat } = opened;
  try {
    const line = firstLineOf(fd, firstLine.most) ?? firstLineOf(fd, firstLine.max);
    if (!line) {
      return stat.size > firstLine.max ? 'too long' : undefined;
    }
    const found = parseEntry(line)?.sessionId;
    return found === undefined ? undefined : found === sessionId;
  } catch {
    return undefined;
  } finally {
    fs.closeSync(fd);
  }
}

/** Undefined if it does not end in so many bytes. */
function firstLineOf(fd: number, bytes: number): Buffer | undefined {
  const head = Buffer.alloc(Math.min(fs.fstatSync(fd).size, bytes));
  const end = head.subarray(0, readAt(fd, head, 0)).indexOf('\n');
  return end < 0 ? undefined : head.subarray(0, end);
}
