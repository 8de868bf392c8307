import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { lenient } from '../records/lenient.ts';
import { configDir } from '../server/configDir.ts';
import { folded, foldersAround, isAt } from '../server/isAt.ts';
import { realPath } from '../server/realPath.ts';
import { readSmallFile } from '../server/smallFile.ts';
import type { AgentDefinition } from './agentDefinition.ts';

/** What a folder has ready for whoever runs Claude Code in it. */
export interface FolderOffer {
  /** Absolute. */
  readonly folder: string;
  /** Absolute; in it, or in a folder around it. */
  readonly files: readonly string[];
}

/** Asks the user whether what they have may be used. @param signal nobody waits for the answer any more */
export type TrustFolders = (offers: readonly FolderOffer[], signal: AbortSignal) => Promise<boolean>;

/**
 * Each can run programs, or allow it. Without a terminal the CLI asks about none of them (seen of all three versions).
 * CLAUDE.md is words for the model, who asks before it does what they say.
 */
const own = ['settings.json', 'settings.local.json', 'agents', 'commands', 'skills', 'workflows'].map(
  (name) => join('.claude', name),
);

/** What the CLI takes from folders around the one that it works in, too, up to the home folder (seen of 2.0.77 and 2.1.330). */
const inherited = own.slice(2);

/** Bytes. The CLI remembers much else of each folder in it. */
const maxConfig = 64 * 1024 * 1024;

const names = lenient(z.array(z.string()));
/** What the user was asked about servers of `.mcp.json`. */
const approvals = z.object({
  enabledMcpjsonServers: names,
  disabledMcpjsonServers: names,
  enableAllProjectMcpServers: lenient(z.boolean()),
});
type Approvals = z.infer<typeof approvals>;
const project = z.extend(approvals, { hasTrustDialogAccepted: lenient(z.boolean()) });
const config = z.object({ projects: lenient(z.record(z.string(), z.unknown())) });
const mcpConfig = z.object({ mcpServers: lenient(z.record(z.string(), z.unknown())) });

/**
 * What the CLI would ask about in a terminal, and agents that it would be handed besides.
 * @param env of the CLI: says where it keeps what it was answered
 * @param agents of the folders
 */
export function untrusted(
  folders: readonly string[],
  env: NodeJS.ProcessEnv,
  agents: readonly Pick<AgentDefinition, 'path' | 'isClaude'>[] = [],
  platform?: NodeJS.Platform,
): FolderOffer[] {
  const projects = projectsIn(env);
  const isSame = (a: string, b: string) => folded(a, platform) === folded(b, platform);
  const answersFor = (path: string) => projects.filter(([of]) => isSame(of, path)).map(([, each]) => each);
  const besides = agents.filter(({ isClaude }) => !isClaude).map(({ path }) => dirname(path));
  const userSettings = jsonIn(join(configDir(env), 'settings.json'));
  return folders.flatMap((folder) => {
    const around = [folder, ...foldersAround(realPath(folder))];
    const known = around
      .flatMap((each) => answersFor(realPath(each)))
      .flatMap((each) => project.safeParse(each).data ?? []);
    const isTrusted = known.some(({ hasTrustDialogAccepted }) => hasTrustDialogAccepted === true);
    const settings = [userSettings, ...own.slice(0, 2).map((name) => jsonIn(join(folder, name)))];
    const answers = [...known, ...settings.flatMap((each) => approvals.safeParse(each).data ?? [])];
    const files = [
      ...(isTrusted
        ? []
        : around.flatMap((each) => brought(each, each === folder ? own : inherited, env, isSame))),
      ...(isTrusted ? [] : besides.filter((path) => isAt(path, folder))),
      ...around
        .map((each) => join(each, '.mcp.json'))
        .filter((path) => !isTrusted || !serversIn(path)?.every((name) => isAnswered(name, answers))),
    ].filter(exists);
    return files.length === 0 ? [] : [{ folder, files: [...new Set(files)] }];
  });
}

/** None of what is the user's own. */
function brought(
  folder: string,
  names: readonly string[],
  env: NodeJS.ProcessEnv,
  isSame: (a: string, b: string) => boolean,
): string[] {
  const isOwn = isSame(realPath(join(folder, '.claude')), realPath(configDir(env)));
  const isHome = names === inherited && isSame(realPath(folder), realPath(homedir()));
  return isOwn || isHome ? [] : names.map((name) => join(folder, name));
}

function isAnswered(server: string, answers: readonly Approvals[]): boolean {
  return answers.some(
    (each) =>
      each.enableAllProjectMcpServers === true ||
      [...(each.enabledMcpjsonServers ?? []), ...(each.disabledMcpjsonServers ?? [])].includes(server),
  );
}

/** Undefined where it cannot be known. */
function serversIn(path: string): string[] | undefined {
  const { data } = mcpConfig.safeParse(jsonIn(path));
  return data && Object.keys(data.mcpServers ?? {});
}

/** By folder, with links resolved; on Windows there are several for one, by either slash. */
function projectsIn(env: NodeJS.ProcessEnv): [folder: string, project: unknown][] {
  const folder = env['CLAUDE_CONFIG_DIR'] ? configDir(env) : homedir();
  const { data } = config.safeParse(jsonIn(join(folder, '.claude.json'), maxConfig));
  return Object.entries(data?.projects ?? {});
}

/** Undefined for what is none. */
function jsonIn(path: string, limit?: number): unknown {
  try {
    const file = readSmallFile(path, { followLinks: true, ...(limit === undefined ? {} : { limit }) });
    return file && JSON.parse(file.text);
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
