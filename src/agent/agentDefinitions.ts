import { lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import * as z from 'zod/mini';
import { errorMessage } from '../base/errors.ts';
import type { Disposable } from '../base/disposable.ts';
import { lenient } from '../records/lenient.ts';
import { FolderWatch } from '../records/folderWatch.ts';
import { readSmallFile } from '../server/smallFile.ts';
import { type AgentDefinition, agentsForCli } from './agentDefinition.ts';
import { editTools } from './permissions.ts';

export interface AgentDefinitions {
  readonly agents: readonly AgentDefinition[];
  /** Files that define none, and why. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** Where they are, and the ends of their names; the first wins where two have one name. */
const places = [
  { folder: ['.claude', 'agents'], ends: ['.md'], isClaude: true },
  { folder: ['.github', 'agents'], ends: ['.agent.md', '.prompt.md'], isClaude: false },
  { folder: ['.github', 'prompts'], ends: ['.prompt.md'], isClaude: false },
] as const;

/** By folder. They are read anew for each prompt. */
const maxFiles = 100;

/** Bytes. */
const maxSize = 64 * 1024;

/** Bytes that all have together as an argument: Linux takes none of 128 KB, Windows no line of 32 KB. */
const maxArgument = process.platform === 'win32' ? 16_000 : 100_000;

const list = z.union([z.array(z.string()), z.string()]);
const frontMatter = z.object({
  name: lenient(z.string()),
  description: lenient(z.string()),
  tools: lenient(list),
  model: lenient(z.string()),
  'argument-hint': lenient(z.string()),
  agent: lenient(z.string()),
});

/** The editor's words for groups of tools, as agents in `.github` name them. */
const toolGroups: Readonly<Record<string, readonly string[]>> = {
  agent: ['Task'],
  edit: editTools,
  execute: ['Bash'],
  'execute/runInTerminal': ['Bash'],
  fetch: ['WebFetch'],
  read: ['Read'],
  runCommands: ['Bash'],
  search: ['Glob', 'Grep'],
  shell: ['Bash'],
  todo: ['TodoWrite'],
  todos: ['TodoWrite'],
  web: ['WebFetch', 'WebSearch'],
};

/**
 * Those of workspace folders. Follows no link: what a repository points to elsewhere is not its own.
 * @param folders absolute; where two agents have one name, that of the first wins
 */
export function readAgents(folders: readonly string[]): AgentDefinitions {
  const agents = new Map<string, AgentDefinition>();
  const problems: { path: string; message: string }[] = [];
  let room = maxArgument;
  for (const { path, isClaude } of folders.flatMap(definingFiles)) {
    try {
      const agent = readAgent(path, isClaude);
      const namesake = agent && agents.get(agent.name);
      if (namesake) {
        throw new Error(`${namesake.path} has the name "${agent.name}", too, and goes before.`);
      }
      const size = agent ? Buffer.byteLength(JSON.stringify(agentsForCli([agent]))) : 0;
      if (size > room) {
        throw new Error('The agents before it leave no room for it.');
      }
      room -= size;
      if (agent) {
        agents.set(agent.name, agent);
      }
    } catch (error) {
      problems.push({ path, message: errorMessage(error) });
    }
  }
  return { agents: [...agents.values()], problems };
}

/** Tells when what `readAgents` reads may have changed, some ms after the last of several changes. */
export function watchAgents(folder: string, onChange: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, 100);
  };
  const watches = places.map(({ folder: place }) => new FolderWatch(join(folder, ...place), changed));
  return {
    dispose: () => {
      clearTimeout(timer);
      watches.forEach((watch) => watch.dispose());
    },
  };
}

function definingFiles(folder: string): { path: string; isClaude: boolean }[] {
  return places.flatMap(({ folder: place, ends, isClaude }) =>
    filesIn(folder, place, ends).map((path) => ({ path, isClaude })),
  );
}

function filesIn(folder: string, place: readonly [string, string], ends: readonly string[]): string[] {
  try {
    const [outer, inner] = [join(folder, place[0]), join(folder, ...place)];
    if (!lstatSync(outer).isDirectory() || !lstatSync(inner).isDirectory()) {
      return [];
    }
    return readdirSync(inner)
      .filter((name) => ends.some((end) => name.endsWith(end)))
      .sort()
      .slice(0, maxFiles)
      .map((name) => join(inner, name));
  } catch {
    return [];
  }
}

/** @returns undefined for a prompt that is no agent. @throws with what is wrong with it */
function readAgent(path: string, isClaude: boolean): AgentDefinition | undefined {
  const file = readSmallFile(path, { limit: maxSize });
  if (!file) {
    throw new Error('It is not a regular file of at most 64 KB.');
  }
  const [, header = '', body = ''] =
    /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(file.text) ?? [];
  const fields = frontMatter.parse(valuesIn(header));
  if (path.endsWith('.prompt.md') && fields.agent === undefined) {
    return undefined;
  }
  const name = fields.name?.trim() || basename(path).replace(/(\.(agent|prompt))?\.md$/, '');
  const prompt = body.trim();
  if (!/^[\w.-]{1,100}$/.test(name)) {
    throw new Error(`"${name}" cannot be the name of an agent: letters, digits, "-", "_" and "." can.`);
  }
  if (prompt === '') {
    throw new Error('It says nothing below its front matter.');
  }
  const { description = name, tools } = fields;
  const model = isClaude ? fields.model : modelOf(fields.model);
  return {
    name,
    description,
    prompt,
    ...(tools === undefined ? {} : { tools: toolsOf(tools) }),
    ...(model === undefined || model === '' ? {} : { model }),
    ...(fields['argument-hint'] === undefined ? {} : { argumentHint: fields['argument-hint'] }),
    path,
    isClaude,
  };
}

/** Descriptions with a colon are common, and are no YAML: then each line is a field. */
function valuesIn(header: string): unknown {
  try {
    // All values are text.
    const values = load(header, { schema: FAILSAFE_SCHEMA });
    return typeof values === 'object' && values !== null ? values : {};
  } catch {
    return Object.fromEntries(
      header.split(/\r?\n/).flatMap((line) => {
        const [, key, value = ''] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
        return key === undefined ? [] : [[key, unquoted(value)]];
      }),
    );
  }
}

/**
 * The CLI's word for a model as the editor has it, such as `Claude Sonnet 4.5 (copilot)`; undefined for one of others,
 * which the CLI would fail with.
 */
function modelOf(model = ''): string | undefined {
  return (
    /^(claude-[\w.-]+|inherit)$/.exec(model)?.[0] ??
    /\b(sonnet|opus|haiku)\b/i.exec(model)?.[1]?.toLowerCase()
  );
}

function toolsOf(tools: readonly string[] | string): string[] {
  const names = typeof tools === 'string' ? tools.replace(/^\[|\]$/g, '').split(',') : tools;
  // Each once: YAML can name a long one thousands of times.
  const mapped = [...new Set(names)]
    .map((name) => unquoted(name.trim()))
    .filter((name) => name !== '')
    .flatMap((name) => groupOf(name) ?? [mcpName(name)]);
  return [...new Set(mapped)];
}

/** Undefined where it is none. Of those that only read, or that are asked about one by one, a part is the whole. */
function groupOf(name: string): readonly string[] | undefined {
  const group = /^(edit|read|search|web)\//.exec(name)?.[1] ?? name;
  return Object.hasOwn(toolGroups, group) ? toolGroups[group] : undefined;
}

function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, '$2');
}

/** `server/tool`, as the editor writes it. */
function mcpName(name: string): string {
  const [, server, tool] = /^([\w.-]+)\/([\w.*-]+)$/.exec(name) ?? [];
  return server === undefined ? name : tool === '*' ? `mcp__${server}` : `mcp__${server}__${tool}`;
}
