import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { MentionOutcome } from '../../api/ideBridge.d.ts';
import { isNotFound } from '../base/errors.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import { setting } from '../editor/settings.ts';
import { Access } from '../editorTools/access.ts';
import { describeMentions, type Mentions } from '../mentions/mentions.ts';
import type { AtMentioned } from '../protocol/ide.ts';
import type { Session } from '../server/session.ts';
import { pickSession } from '../sessions/sessionCommands.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import type { Sharing } from '../sharing/sharing.ts';
import { ApiError, checked } from './apiError.ts';
import { uriOfFile } from './arguments.ts';
import { idOf } from './sessionList.ts';

export interface MentionPorts {
  readonly mentions: Mentions;
  readonly sessionTerminals: SessionTerminals;
  readonly sharing: Sharing;
}

/** An extension in a loop would fill the user's prompt. */
const maxWaiting = 100;
/** Those of one extension within a minute, also where the session takes each at once. */
const maxRecent = 50;
const minute = 60_000;

const line = z.int().check(z.minimum(0), z.maximum(10_000_000));
const mentionInput = z.object({
  uri: uriOfFile,
  lines: z.optional(
    z
      .object({ start: line, end: line })
      .check(z.refine(({ start, end }) => start <= end, 'start has to be at or before end')),
  ),
  sessionId: z.optional(z.string()),
});

/**
 * See `IdeBridgeApi`. Not on the user's word: where nothing tells whether a prompt is there, it waits for that.
 * @param recent when this extension has mentioned something, in ms of the clock that nobody sets: of its own, kept here
 */
export async function mention(
  ports: MentionPorts,
  by: string,
  recent: number[],
  input: unknown,
): Promise<MentionOutcome> {
  const { uri, lines, sessionId } = checked('A mention', mentionInput, input);
  const { mentions, sessionTerminals } = ports;
  await mustExist(uri);
  const reason = (await refusal(ports, uri)) ?? tooMany(mentions) ?? tooOften(by, recent);
  if (reason !== undefined) {
    return { outcome: 'refused', reason };
  }
  const chosen = await target(sessionTerminals, sessionId);
  if (!chosen) {
    return { outcome: 'dismissed' };
  }
  const since = await refusal(ports, uri); // while the user was asked
  if (since !== undefined) {
    return { outcome: 'refused', reason: since };
  }
  const session = chosen === 'next' ? (sessionTerminals.sessions[0] ?? chosen) : chosen; // one may have come
  const mentioned: AtMentioned = {
    filePath: uri.fsPath,
    ...(lines && { lineStart: lines.start, lineEnd: lines.end }),
  };
  const where = session === 'next' ? 'the next session' : session.label;
  vscode.window.setStatusBarMessage(
    `$(mention) ${withoutIcons(`${by} mentions ${describeMentions([mentioned])} in ${where}`)}`,
    10_000,
  );
  if (session === 'next') {
    mentions.keep([mentioned]);
    return { outcome: 'waiting' };
  }
  return send(mentions, session, mentioned);
}

async function send(mentions: Mentions, session: Session, mentioned: AtMentioned): Promise<MentionOutcome> {
  const id = { sessionId: idOf(session) };
  const hasToWait = !mentions.isAtPrompt(session);
  const sent = mentions.deliver(session, [mentioned]);
  if (hasToWait) {
    return { outcome: 'waiting', ...id };
  }
  if ((await sent).length > 0) {
    return { outcome: 'sent', ...id };
  }
  return session.isOpen ? { outcome: 'dismissed' } : { outcome: 'waiting' };
}

/** What is not there would be words of the extension's own in the prompt. */
async function mustExist(uri: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.stat(uri);
  } catch (error) {
    const isMissing = isNotFound(error) || (error as vscode.FileSystemError).code === 'FileNotFound';
    throw new ApiError(
      'InvalidArgument',
      `A mention: ${isMissing ? 'there is nothing at this path' : 'this path cannot be looked at'}.`,
    );
  }
}

async function refusal({ sharing }: MentionPorts, uri: vscode.Uri): Promise<string | undefined> {
  if (sharing.state !== 'on') {
    return `Sharing is ${sharing.state} in this window.`;
  }
  const { withheld } = await new Access(sharing).shared([uri], (each) => each);
  return withheld === 0
    ? undefined
    : `It is ${sharing.exclusion(uri) ?? 'a link to what is excluded from sharing'}.`;
}

function tooMany({ waiting, waitingForPrompt }: Mentions): string | undefined {
  return waiting + waitingForPrompt < maxWaiting ? undefined : `${maxWaiting} mentions wait already.`;
}

/** Counts this one, if there may be one. */
function tooOften(by: string, recent: number[]): string | undefined {
  const now = performance.now();
  while (recent[0] !== undefined && recent[0] <= now - minute) {
    recent.shift();
  }
  const [oldest] = recent;
  if (oldest !== undefined && recent.length >= maxRecent) {
    const wait = Math.ceil((oldest + minute - now) / 1_000);
    return `${by} has mentioned ${maxRecent} things within a minute. Try again in ${wait} s.`;
  }
  recent.push(now);
  return undefined;
}

/** @returns undefined where the user was asked, and chose none @throws ApiError where there is none of that id */
async function target(
  sessionTerminals: SessionTerminals,
  id: string | undefined,
): Promise<Session | 'next' | undefined> {
  const { sessions } = sessionTerminals;
  if (id !== undefined) {
    const session = sessions.find((each) => idOf(each) === id);
    if (!session) {
      throw new ApiError('InvalidArgument', 'A mention: no session in a terminal has this id.');
    }
    return session;
  }
  if (sessions.length === 0) {
    return 'next';
  }
  return setting('mention.target') === 'ask' ? pickSession(sessionTerminals) : sessions[0];
}
