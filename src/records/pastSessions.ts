import type * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cut, firstLine } from '../base/text.ts';
import { agentFolder, filesSince } from './agentFiles.ts';
import { eachOnce } from './eachOnce.ts';
import { type Entry, isOfSession } from './entries.ts';
import type { PastEdit } from './events.ts';
import { countBack, editsBack, entriesBack, headOf } from './lookBack.ts';
import { breathe, namesIn, statOf } from './recordFile.ts';
import {
  foldersBelow,
  foldersOf,
  isOfFolder,
  isSlugOf,
  projectFolders,
  sessionIdIn,
  transcriptName,
} from './transcriptPlace.ts';

/** A conversation that was held in a folder, running or not. */
export interface PastSession {
  readonly sessionId: string;
  readonly path: string;
  /** Where it was begun; undefined where its beginning does not say. */
  readonly cwd: string | undefined;
  /** What the user has called it here, or in the CLI; the CLI's name, its summary, or the first line of the first prompt. */
  readonly title: string | undefined;
  /** ms since the epoch */
  readonly begun: number | undefined;
  readonly lastActive: number;
  readonly bytes: number;
  /** Of Git, at its end. */
  readonly branch?: string;
  /** First lines of what the user has typed, as far as its ends have them, the first first. */
  readonly prompts: readonly string[];
}

export interface PastSessionCounts {
  readonly turns: number;
  /** Absolute paths, each once. */
  readonly files: readonly string[];
  /** False when something was left out. */
  readonly isComplete: boolean;
}

interface Digest {
  /** Undefined for a file in which nothing was said; 2.0 leaves some, with titles of others. */
  readonly session: PastSession | undefined;
  /** What the titles of other transcripts, in which 2.0 writes them, can be about. */
  readonly uuids: ReadonlySet<string>;
  readonly summaries: ReadonlyMap<string, string>;
  readonly hasOwnTitle: boolean;
}

/** Bytes that are read at either end of each. */
const endBytes = 128 * 1024;
/** The same, of one that begins with a long line. */
const maxHead = 2 * 1024 * 1024;
/** Transcripts of a folder that are looked at, the last written first. */
const maxSessions = 500;
/** The same, of all folders. */
const maxOfAll = 2_000;
/** Bytes of each file that are counted. */
const maxCounted = 256 * 1024 * 1024;
/** Prompts that are known of each: the first, and the last of the others. */
const maxPrompts = 8;
/** UTF-16 units of each. */
const maxPromptLine = 200;
/** Bytes of a conversation that are looked through for edits. */
const maxEdited = 64 * 1024 * 1024;

/** What was held in a folder. Reads the head and the tail of each transcript, and again only if size or time changed. */
export class PastSessions {
  private readonly known = new Map<string, { key: string; digest: Digest | undefined }>();
  private readonly counts = new Map<string, { key: string; counts: PastSessionCounts }>();

  /**
   * @param projects `<config>/projects`
   * @param nameOf what the user has called it here, by its id
   */
  constructor(
    private readonly projects: string,
    private readonly nameOf: (sessionId: string) => string | undefined = () => undefined,
  ) {}

  /** The last active first. */
  async list(folder: string): Promise<PastSession[]> {
    const found = await this.read(transcriptsIn(foldersOf(this.projects, folder)).slice(0, maxSessions));
    return found.filter(({ cwd }) => cwd === undefined || isOfFolder(folder, cwd));
  }

  /** Of all folders, the last active first. What their names are made of is the CLI's own; `cwd` says where each was. */
  async listAll(): Promise<PastSession[]> {
    return this.read(transcriptsIn(projectFolders(this.projects)).slice(0, maxOfAll));
  }

  /** The one of that id, whatever folder it was held in. */
  async find(sessionId: string): Promise<PastSession | undefined> {
    const name = transcriptName(sessionId);
    const folders = sessionIdIn(name) === undefined ? [] : projectFolders(this.projects);
    const [found] = await this.read(transcriptsAt(folders.map((folder) => join(folder, name))));
    return found;
  }

  private async read(transcripts: readonly FoundTranscript[]): Promise<PastSession[]> {
    const digests: Digest[] = [];
    for (const transcript of transcripts) {
      const digest = await this.digest(transcript);
      digests.push(...(digest ? [digest] : []));
    }
    const known = [...this.known.values()]; // also in those that are not asked for
    const summaries = new Map(known.flatMap(({ digest }) => [...(digest?.summaries ?? [])]));
    const sessions = digests.flatMap(({ session, uuids, hasOwnTitle }) => {
      if (!session) {
        return [];
      }
      const [leaf] = [...uuids].filter((uuid) => summaries.has(uuid)).slice(-1);
      const summary = leaf === undefined || hasOwnTitle ? undefined : summaries.get(leaf);
      const title = this.nameOf(session.sessionId) ?? summary;
      return title === undefined ? session : { ...session, title };
    });
    return eachOnce(sessions);
  }

  /**
   * Those that were held in a folder, or below it, and have written something since, themselves or by a sub-agent.
   * @param since by session, in ms since the epoch
   */
  async writtenSince(folder: string, since: (sessionId: string) => number): Promise<PastSession[]> {
    const found: PastSession[] = [];
    const transcripts = transcriptsIn(foldersBelow(this.projects, folder)).slice(0, maxSessions);
    for (const transcript of transcripts.filter((each) => isWrittenSince(each, since))) {
      const digest = await this.digest(transcript);
      const { session } = digest ?? {};
      if (session?.cwd !== undefined && isOfFolder(folder, session.cwd)) {
        found.push(session);
      }
    }
    return found;
  }

  /** See `RecordedSession.editsSince`, for one that need not run. */
  async editsSince(
    { path, sessionId }: PastSession,
    time: number,
  ): Promise<{ edits: PastEdit[]; isComplete: boolean }> {
    const paths = filesSince(dirname(path), sessionId, time);
    const { found, isComplete } = await editsBack(paths, sessionId, time, maxEdited);
    return { edits: found, isComplete };
  }

  /** Reads it and its sub-agents' through, up to that many bytes from the end of each. */
  async count(session: PastSession, bytes = maxCounted): Promise<PastSessionCounts> {
    const { path, sessionId } = session;
    const key = `${session.bytes} ${session.lastActive} ${bytes}`;
    const known = this.counts.get(path);
    if (known?.key === key) {
      return known.counts;
    }
    const paths = filesSince(dirname(path), sessionId, 0);
    const { found, isComplete } = await countBack(paths, sessionId, bytes);
    const counts = { ...found, isComplete };
    this.counts.set(path, { key, counts });
    return counts;
  }

  private async digest({ path, stat }: FoundTranscript): Promise<Digest | undefined> {
    const key = `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
    let known = this.known.get(path);
    if (known?.key !== key) {
      known = { key, digest: await digestOf(path, stat) };
      this.known.set(path, known);
      await breathe();
    }
    return known.digest;
  }
}

interface FoundTranscript {
  readonly path: string;
  readonly stat: fs.Stats;
}

function isWrittenSince({ path, stat }: FoundTranscript, since: (sessionId: string) => number): boolean {
  const sessionId = sessionIdIn(basename(path)) ?? '';
  const agents = agentFolder(dirname(path), sessionId);
  const time = since(sessionId);
  return (
    stat.mtimeMs > time || namesIn(agents).some((name) => (statOf(join(agents, name))?.mtimeMs ?? 0) > time)
  );
}

function transcriptsIn(folders: readonly string[]): FoundTranscript[] {
  const names = (folder: string) => namesIn(folder).filter((name) => sessionIdIn(name) !== undefined);
  return transcriptsAt(folders.flatMap((folder) => names(folder).map((name) => join(folder, name))));
}

/** The last written first. */
function transcriptsAt(paths: readonly string[]): FoundTranscript[] {
  return paths
    .flatMap((path) => {
      const stat = statOf(path);
      return stat?.isFile() === true ? { path, stat } : [];
    })
    .sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
}

/** Undefined for what has nothing said in it. */
async function digestOf(path: string, stat: fs.Stats): Promise<Digest | undefined> {
  const sessionId = sessionIdIn(basename(path));
  if (sessionId === undefined) {
    return undefined;
  }
  const head = beginningOf(path);
  const tail: Entry[] = [];
  if (stat.size > endBytes) {
    await entriesBack(path, endBytes, (entry) => {
      tail.unshift(entry);
      return true;
    });
  }
  const entries = [...head, ...tail];
  const own = entries.filter((entry) => isOfSession(entry, sessionId));
  const said = own.filter(({ kind }) => ['prompt', 'assistant', 'command'].includes(kind));
  const summaries = new Map(
    entries.flatMap((entry) =>
      entry.kind === 'title' && entry.leafUuid !== undefined ? [[entry.leafUuid, entry.title] as const] : [],
    ),
  );
  if (said.length === 0 && summaries.size === 0) {
    return undefined;
  }
  const title = titleOf(own);
  const branch = own.findLast((entry) => entry.branch !== undefined)?.branch;
  const prompts = promptsOf(own);
  const times = own.flatMap(({ at }) => at ?? []);
  return {
    session:
      said.length === 0
        ? undefined
        : {
            sessionId,
            path,
            cwd: cwdOf(own, path),
            title: shortened(title ?? firstLineOf(own)),
            begun: times[0],
            lastActive: times.at(-1) ?? stat.mtimeMs,
            bytes: stat.size,
            ...(branch === undefined ? {} : { branch }),
            prompts: [...prompts.slice(0, 1), ...prompts.slice(1).slice(1 - maxPrompts)],
          },
    uuids: new Set(own.flatMap(({ uuid }) => uuid ?? [])),
    summaries,
    hasOwnTitle: title !== undefined,
  };
}

/** The last that the user has given, else the last of the CLI's. */
function titleOf(entries: readonly Entry[]): string | undefined {
  const titles = entries.filter((entry) => entry.kind === 'title');
  const last = (by: 'user' | 'cli') => titles.findLast((entry) => entry.by === by)?.title;
  return last('user') ?? last('cli');
}

/** Each once: the two ends of a file may meet. */
function promptsOf(entries: readonly Entry[]): string[] {
  const typed = entries.flatMap((entry) =>
    entry.kind === 'prompt' && entry.isTyped && entry.agentId === undefined ? [entry] : [],
  );
  const byId = new Map(typed.map((entry) => [entry.uuid ?? entry, entry]));
  return [...byId.values()].flatMap(({ text }) => shortened(firstLine(text)) ?? []);
}

/** A copy: a part of a string holds the whole in memory (V8), and a prompt may have megabytes. */
function shortened(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cut(text, maxPromptLine).split('').join('');
}

/** More of it where its first lines are long, as with a picture in the first prompt: they say where it was begun. */
function beginningOf(path: string): Entry[] {
  const head = headOf(path, endBytes);
  return head.some(({ cwd }) => cwd !== undefined) ? head : headOf(path, maxHead);
}

/** Where it was begun is mostly what the folder of its transcript is named by; later it may be elsewhere. */
function cwdOf(entries: readonly Entry[], path: string): string | undefined {
  const folder = basename(dirname(path));
  const all = entries.flatMap(({ cwd }) => cwd ?? []);
  return all.find((cwd) => isSlugOf(folder, cwd)) ?? all[0];
}

function firstLineOf(entries: readonly Entry[]): string | undefined {
  const prompt =
    entries.find((entry) => entry.kind === 'prompt' && entry.isTyped && entry.agentId === undefined) ??
    entries.find(({ kind }) => kind === 'command');
  const text = prompt?.kind === 'prompt' || prompt?.kind === 'command' ? prompt.text : undefined;
  return text === undefined ? undefined : firstLine(text);
}
