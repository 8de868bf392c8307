import * as fs from 'node:fs';
import { Conversation } from './conversation.ts';
import { isOfSession, parseEntry, type Entry } from './entries.ts';
import type { PastEdit, Turn, TurnMark } from './events.ts';
import { linesBack } from './linesBack.ts';
import { headAt, openRecord, statOf } from './recordFile.ts';
import { turnMark } from './turnMark.ts';

/** What of a transcript was asked for, as far as the limit allowed. */
interface LookedBack<T> {
  readonly found: T;
  /** False where the limit, or a line that was too long, has left something out. */
  readonly isComplete: boolean;
}

/** The last turns of a session, oldest first, of at most so many bytes. */
export async function turnsBack(
  path: string,
  sessionId: string,
  limit: { turns: number; bytes: number },
): Promise<LookedBack<Turn[]>> {
  const entries: Entry[] = [];
  let prompts = 0;
  const isComplete = await entriesBack(path, limit.bytes, (entry) => {
    if (isOfSession(entry, sessionId)) {
      entries.push(withoutTexts(entry));
      prompts += entry.kind === 'prompt' && entry.agentId === undefined ? 1 : 0;
    }
    return prompts < limit.turns;
  });
  const turns: Turn[] = [];
  const conversation: Conversation = new Conversation(({ type }) => {
    if (type === 'prompt' && last) {
      turns.push(last);
    }
  });
  let last: Turn | undefined;
  for (const entry of entries.reverse()) {
    last = entry.kind === 'prompt' || entry.kind === 'assistant' ? conversation.turn : undefined;
    conversation.take(entry);
  }
  return { found: [...turns, ...(conversation.turn ? [conversation.turn] : [])], isComplete };
}

/**
 * What has been edited since then (ms since the epoch) by a session and its sub-agents, whose transcripts these are.
 * @param bytes of all of them together, each from its end
 */
export async function editsBack(
  paths: readonly string[],
  sessionId: string,
  time: number,
  bytes: number,
): Promise<LookedBack<PastEdit[]>> {
  const edits: PastEdit[] = [];
  /** The last first. */
  const turns: TurnMark[] = [];
  let isComplete = true;
  let left = bytes;
  for (const path of paths) {
    const ofFile: PastEdit[] = [];
    const size = statOf(path)?.size ?? 0;
    const isWhole = await entriesBack(path, left, (entry) => {
      if (isOfSession(entry, sessionId)) {
        turns.push(...turnIn(entry));
        ofFile.push(...editsIn(entry).filter(({ at }) => at >= time));
      }
      // By the prompt and not by each line: the clock may have been put back within a turn.
      return !(entry.kind === 'prompt' && entry.at !== undefined && entry.at < time);
    });
    isComplete &&= isWhole;
    left = Math.max(0, left - size);
    edits.push(...ofFile.reverse());
  }
  const found = edits.map((edit): PastEdit => {
    const turn = turns.find(({ begun }) => begun <= edit.at);
    return turn ? { ...edit, turn } : edit;
  });
  return { found: paths.length > 1 ? found.sort((a, b) => a.at - b.at) : found, isComplete };
}

/** The files that were edited and how often the user has prompted. */
export async function countBack(
  paths: readonly string[],
  sessionId: string,
  bytes: number,
): Promise<LookedBack<{ turns: number; files: string[] }>> {
  const files = new Set<string>();
  let turns = 0;
  let isComplete = true;
  for (const path of paths) {
    const isWhole = await entriesBack(path, bytes, (entry) => {
      if (isOfSession(entry, sessionId)) {
        turns += entry.kind === 'prompt' && entry.agentId === undefined && entry.isTyped ? 1 : 0;
        editsIn(entry).forEach(({ filePath }) => files.add(filePath));
      }
      return true;
    });
    isComplete &&= isWhole;
  }
  return { found: { turns, files: [...files].sort() }, isComplete };
}

/**
 * Goes through a transcript from its end.
 * @param visit the last first; false is enough
 * @returns false if something was left out
 */
export async function entriesBack(
  path: string,
  limit: number,
  visit: (entry: Entry) => boolean,
): Promise<boolean> {
  const opened = openRecord(path);
  if (!('fd' in opened)) {
    return opened.reason === undefined;
  }
  const { fd, stat } = opened;
  let isComplete = true;
  try {
    for await (const { line, offset, isWhole } of linesBack(fd, stat.size, limit)) {
      isComplete &&= line !== undefined || !isWhole;
      if (stat.size - offset > limit) {
        return false;
      }
      const entry = line && parseEntry(line);
      if (entry && !visit(entry)) {
        return isComplete;
      }
    }
  } catch {
    return false;
  } finally {
    fs.closeSync(fd);
  }
  return isComplete && stat.size <= limit;
}

/** What the whole lines in so many bytes at its beginning say; nothing if it cannot be read. */
export function headOf(path: string, bytes: number): Entry[] {
  const opened = openRecord(path);
  if (!('fd' in opened)) {
    return [];
  }
  const entries: Entry[] = [];
  try {
    const head = headAt(opened, bytes);
    let from = 0;
    for (let to = head.indexOf('\n'); to >= 0; to = head.indexOf('\n', from)) {
      entries.push(...[parseEntry(head.subarray(from, to))].filter((entry) => entry !== undefined));
      from = to + 1;
    }
  } catch {
    return [];
  } finally {
    fs.closeSync(opened.fd);
  }
  return entries;
}

function turnIn(entry: Entry): TurnMark[] {
  const isTurn = (entry.kind === 'prompt' || entry.kind === 'command') && entry.agentId === undefined;
  return isTurn ? [turnMark({ id: entry.uuid ?? '', prompt: entry.text, begun: entry.at ?? 0 })] : [];
}

function editsIn(entry: Entry): PastEdit[] {
  if (entry.kind !== 'results') {
    return [];
  }
  const { at = 0, agentId, version } = entry;
  const by = { ...(agentId === undefined ? {} : { agentId }), ...(version === undefined ? {} : { version }) };
  return entry.results.flatMap(({ toolUseId, edit }) => (edit ? { ...edit, toolUseId, at, ...by } : []));
}

/** What a turn does not keep. */
function withoutTexts(entry: Entry): Entry {
  switch (entry.kind) {
    case 'assistant':
      return { ...entry, uses: entry.uses.map(({ id, name }) => ({ id, name, input: {} })) };
    case 'results':
      return {
        ...entry,
        results: entry.results.map(({ edit, ...result }) =>
          edit
            ? {
                ...result,
                edit: { ...edit, before: undefined, after: undefined, replacements: [], patch: [] },
              }
            : result,
        ),
      };
    default:
      return entry;
  }
}
