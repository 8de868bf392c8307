import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEntry } from './entries.ts';
import { headAt, isOwnFolder, namesIn, type OpenFile, openRecord, statOf } from './recordFile.ts';
import { agentIdIn, transcriptName } from './transcriptPlace.ts';

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

/**
 * The transcripts of a session and its sub-agents, those of the latter only if written since then (ms since the epoch);
 * its own is the first.
 */
export function filesSince(
  folder: string,
  sessionId: string,
  time: number,
  isOwn = (path: string) => isAgentOf(path, folder, sessionId) === true,
): string[] {
  const isNew = (path: string) => (statOf(path)?.mtimeMs ?? 0) >= time && isOwn(path);
  return [join(folder, transcriptName(sessionId)), ...agentFiles(folder, sessionId).filter(isNew)];
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
  try {
    const line = firstLineOf(opened, firstLine.most) ?? firstLineOf(opened, firstLine.max);
    if (!line) {
      return opened.stat.size > firstLine.max ? 'too long' : undefined;
    }
    const found = parseEntry(line)?.sessionId;
    return found === undefined ? undefined : found === sessionId;
  } catch {
    return undefined;
  } finally {
    fs.closeSync(opened.fd);
  }
}

/** Undefined if it does not end in so many bytes. */
function firstLineOf(file: OpenFile, bytes: number): Buffer | undefined {
  const head = headAt(file, bytes);
  const end = head.indexOf('\n');
  return end < 0 ? undefined : head.subarray(0, end);
}
