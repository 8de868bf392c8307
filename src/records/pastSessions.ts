import type * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { agentFiles, isAgentOf } from './agentFiles.ts';
import type { Entry } from './entries.ts';
import { countBack, entriesBack, headOf } from './lookBack.ts';
import { breathe, namesIn, statOf } from './recordFile.ts';
import { foldersOf, isOfFolder, sessionIdIn } from './transcriptPlace.ts';

/** A conversation that was held in a folder, running or not. */
export interface PastSession {
  readonly sessionId: string;
  readonly path: string;
  /** The user's name for it, the CLI's, its summary, or the first line of the first prompt. */
  readonly title: string | undefined;
  /** ms since the epoch */
  readonly begun: number | undefined;
  readonly lastActive: number;
  readonly bytes: number;
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
  /** Where it was begun. */
  readonly cwd: string | undefined;
  /** What the titles of other transcripts, in which 2.0 writes them, can be about. */
  readonly uuids: ReadonlySet<string>;
  readonly summaries: ReadonlyMap<string, string>;
  readonly hasOwnTitle: boolean;
}

/** Bytes that are read at either end of each. */
const endBytes = 128 * 1024;
/** Transcripts of a folder that are looked at, the last written first. */
const maxSessions = 500;
/** Bytes of each file that are counted. */
const maxCounted = 256 * 1024 * 1024;

/** What was held in a folder. Reads the head and the tail of each transcript, and again only if size or time changed. */
export class PastSessions {
  private readonly known = new Map<string, { key: string; digest: Digest | undefined }>();

  /** @param projects `<config>/projects` */
  constructor(private readonly projects: string) {}

  /** The last active first. */
  async list(folder: string): Promise<PastSession[]> {
    const digests: Digest[] = [];
    for (const { path, stat } of transcriptsIn(foldersOf(this.projects, folder)).slice(0, maxSessions)) {
      const key = `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
      let known = this.known.get(path);
      if (known?.key !== key) {
        known = { key, digest: await digestOf(path, stat) };
        this.known.set(path, known);
        await breathe();
      }
      digests.push(...(known.digest ? [known.digest] : []));
    }
    const summaries = new Map(digests.flatMap((digest) => [...digest.summaries]));
    return digests
      .flatMap(({ session, cwd, uuids, hasOwnTitle }) => {
        if (!session || (cwd !== undefined && !isOfFolder(folder, cwd))) {
          return [];
        }
        const [leaf] = [...uuids].filter((uuid) => summaries.has(uuid)).slice(-1);
        const summary = leaf === undefined || hasOwnTitle ? undefined : summaries.get(leaf);
        return summary === undefined ? session : { ...session, title: summary };
      })
      .sort((a, b) => b.lastActive - a.lastActive);
  }

  /** Reads it and its sub-agents' through, up to that many bytes from the end of each. */
  async count({ path, sessionId }: PastSession, bytes = maxCounted): Promise<PastSessionCounts> {
    const folder = join(path, '..');
    const agents = agentFiles(folder, sessionId).filter(
      (agent) => isAgentOf(agent, folder, sessionId) === true,
    );
    const { found, isComplete } = await countBack([path, ...agents], sessionId, bytes);
    return { ...found, isComplete };
  }
}

function transcriptsIn(folders: string[]): { path: string; stat: fs.Stats }[] {
  return folders
    .flatMap((folder) =>
      namesIn(folder).flatMap((name) => {
        const path = join(folder, name);
        const stat = sessionIdIn(name) === undefined ? undefined : statOf(path);
        return stat?.isFile() === true ? { path, stat } : [];
      }),
    )
    .sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
}

/** Undefined for what has nothing said in it. */
async function digestOf(path: string, stat: fs.Stats): Promise<Digest | undefined> {
  const sessionId = sessionIdIn(basename(path));
  if (sessionId === undefined) {
    return undefined;
  }
  const head = headOf(path, endBytes);
  const tail: Entry[] = [];
  if (stat.size > endBytes) {
    await entriesBack(path, endBytes, (entry) => {
      tail.unshift(entry);
      return true;
    });
  }
  const entries = [...head, ...tail];
  const own = entries.filter((entry) => entry.sessionId === undefined || entry.sessionId === sessionId);
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
  const times = own.flatMap(({ at }) => at ?? []);
  return {
    session:
      said.length === 0
        ? undefined
        : {
            sessionId,
            path,
            title: title ?? firstLineOf(own),
            begun: times[0],
            lastActive: times.at(-1) ?? stat.mtimeMs,
            bytes: stat.size,
          },
    cwd: own.find(({ cwd }) => cwd !== undefined)?.cwd,
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

function firstLineOf(entries: readonly Entry[]): string | undefined {
  const prompt =
    entries.find((entry) => entry.kind === 'prompt' && entry.isTyped && entry.agentId === undefined) ??
    entries.find(({ kind }) => kind === 'command');
  const text = prompt?.kind === 'prompt' || prompt?.kind === 'command' ? prompt.text : undefined;
  return text?.trim().split(/\r?\n/, 1)[0];
}
