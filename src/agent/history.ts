import * as fs from 'node:fs';
import { UserError, errorMessage } from '../base/errors.ts';
import { cut } from '../base/text.ts';
import { type Entry, entryOf, isOfSession } from '../records/entries.ts';
import type { PastSession, PastSessions } from '../records/pastSessions.ts';
import { breathe, openRecord, readAt } from '../records/recordFile.ts';
import { removePast } from '../records/removePast.ts';
import { isOfFolder } from '../records/transcriptPlace.ts';
import { CliConversation } from './cliConversation.ts';
import { Conversation } from './conversation.ts';
import { JsonLines } from '../server/jsonLines.ts';
import { parseMessage } from './messages.ts';

export interface PastConversation {
  readonly conversation: Conversation;
  /** Bytes at its beginning that were not read. */
  readonly leftOut: number;
  /** Lines that say nothing to us because they are broken; the last of one that is being written is none. */
  readonly broken: number;
}

/** Bytes of a transcript that are read, from its end. */
const defaultLimit = 64 * 1024 * 1024;

const chunkBytes = 256 * 1024;

/** UTF-16 units; lists show one line. */
const maxTitle = 200;

/** The sessions that were, as the CLI has written them down. To go on with one is to start a session with its id. */
export class History {
  /** @param toTrash where the user can get it back from; both of the system */
  constructor(
    private readonly past: PastSessions,
    private readonly toTrash: (path: string) => Promise<void>,
  ) {}

  /** Of one folder and what is below it, or of all; the last active first. */
  async list(folder?: string): Promise<PastSession[]> {
    const sessions = await this.past.listAll();
    return folder === undefined
      ? sessions
      : sessions.filter(({ cwd }) => cwd !== undefined && isOfFolder(folder, cwd));
  }

  /**
   * As the CLI's own `/rename` does: a line at the end.
   * @throws {UserError} for a title without a character, and a transcript that cannot be written
   */
  rename({ path, sessionId }: PastSession, title: string): void {
    const customTitle = cut(title.replace(/\s+/g, ' ').trim(), maxTitle);
    if (customTitle === '') {
      throw new UserError('A session needs a name.', 'Write at least one character.');
    }
    const { O_RDWR, O_APPEND, O_NOFOLLOW } = fs.constants;
    let file: number | undefined;
    try {
      file = fs.openSync(path, O_RDWR | O_APPEND | (O_NOFOLLOW ?? 0));
      // A CLI that was killed may have left half a line, of which it would become a part.
      const start = endsHalf(file) ? '\n' : '';
      // In one piece: the CLI may be writing, too.
      fs.writeSync(file, `${start}${JSON.stringify({ type: 'custom-title', customTitle, sessionId })}\n`);
    } catch (error) {
      throw new UserError(
        'The session could not be renamed.',
        `Its record cannot be written: ${errorMessage(error)}`,
      );
    } finally {
      if (file !== undefined) {
        fs.closeSync(file);
      }
    }
  }

  /** With what its sub-agents have written. @throws when it cannot be moved */
  delete(session: PastSession): Promise<void> {
    return removePast(session, this.toTrash);
  }

  /** See `readPast`. */
  read(session: PastSession, limit?: number): Promise<PastConversation> {
    return readPast(session, { limit });
  }
}

/**
 * @param limit bytes from its end @param withAgents with what sub-agents have said, as if the session had
 * @throws {UserError} when it cannot be read
 */
export async function readPast(
  { path, sessionId }: Pick<PastSession, 'path' | 'sessionId'>,
  { limit = defaultLimit, withAgents = false } = {},
): Promise<PastConversation> {
  const opened = openRecord(path);
  if (!('fd' in opened)) {
    throw new UserError('The session could not be read.', opened.reason ?? 'Its record is gone.');
  }
  const { fd, stat } = opened;
  const conversation = new Conversation();
  const told = new CliConversation(conversation);
  const leftOut = Math.max(0, stat.size - limit);
  let broken = 0;
  let isFirst = leftOut > 0;
  const lines = new JsonLines({
    onJson: (json) => {
      isFirst = false;
      const entry = entryOf(json);
      if (entry && isOfSession(entry, sessionId) && (withAgents || entry.agentId === undefined)) {
        take(told, entry, json);
      }
    },
    onUnreadable: () => {
      broken += isFirst ? 0 : 1; // it begins in the middle of a line
      isFirst = false;
    },
  });
  try {
    const buffer = Buffer.alloc(chunkBytes);
    // What stands at the end without a line end is being written.
    for (let at = leftOut, read; at < stat.size && (read = readAt(fd, buffer, at)) > 0; at += read) {
      lines.push(Buffer.from(buffer.subarray(0, read)));
      await breathe();
    }
  } catch (error) {
    throw new UserError('The session could not be read.', errorMessage(error));
  } finally {
    fs.closeSync(fd);
  }
  told.stopAll();
  return { conversation, leftOut, broken };
}

function endsHalf(file: number): boolean {
  const last = Buffer.alloc(1);
  return readAt(file, last, fs.fstatSync(file).size - 1) === 1 && last.toString() !== '\n';
}

function take(told: CliConversation, entry: Entry, json: unknown): void {
  if (entry.kind === 'prompt' || entry.kind === 'command') {
    told.addPrompt(entry.text.trim(), 'sent');
    return;
  }
  const message = parseMessage(json);
  if (message?.type === 'assistant' || message?.type === 'user') {
    told.take(message, json);
  }
}
