import { lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import * as z from 'zod/mini';
import { errorMessage } from '../base/errors.ts';
import type { Disposable } from '../base/disposable.ts';
import { lenient } from '../records/lenient.ts';
import { FolderWatch } from '../records/folderWatch.ts';
import { readSmallFile } from '../server/smallFile.ts';
import { editTools } from './permissions.ts';

/** An agent that a folder defines for whoever works in it. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** What it is told before its task. */
  readonly prompt: string;
  /** The CLI's names; undefined: all that there are. */
  readonly tools?: readonly string[];
  readonly model?: string;
  /** What to say to it, for a surface to show. */
  readonly argumentHint?: string;
  readonly path: string;
  /** The CLI reads it itself. */
  readonly isClaude: boolean;
}

export interface AgentDefinitions {
  readonly agents: readonly AgentDefinition[];
  /** Files that define none, and why. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** Where they are, and the ends of their names; the first wins where two have one name. */
const places = [
  { folder: ['.claude', 'agents'], ends: ['.md'], isClaude: true },
  { folder: ['.github', 'agents'], ends: ['.agent.md', '.prompt.md'], isClaude: false },
] as const;

/** By folder. */
const maxFiles = 500;

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
  fetch: ['WebFetch'],
  read: ['Read'],
  runCommands: ['Bash'],
  search: ['Glob', 'Grep'],
  shell: ['Bash'],
  todo: ['TodoWrite'],
  todos: ['TodoWrite'],
  web: ['WebFetch', 'WebSearch'],
};

/** Those of a workspace folder. Follows no link: what a repository points to elsewhere is not its own. */
export function readAgents(folder: string): AgentDefinitions {
  const agents = new Map<string, AgentDefinition>();
  const problems: { path: string; message: string }[] = [];
  for (const { folder: place, ends, isClaude } of places) {
    for (const path of filesIn(folder, place, ends)) {
      try {
        const agent = readAgent(path, isClaude);
        if (agent && !agents.has(agent.name)) {
          agents.set(agent.name, agent);
        }
      } catch (error) {
        problems.push({ path, message: errorMessage(error) });
      }
    }
  }
  return { agents: [...agents.values()], problems };
}

/** As `--agents` takes them; without those that the CLI reads itself. */
export function agentsForCli(agents: readonly AgentDefinition[]): Record<string, object> {
  return Object.fromEntries(
    agents
      .filter(({ isClaude }) => !isClaude)
      .map(({ name, description, prompt, tools, model }) => [
        name,
        { description, prompt, ...(tools ? { tools } : {}), ...(model === undefined ? {} : { model }) },
      ]),
  );
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
  const file = readSmallFile(path);
  if (!file) {
    throw new Error('It is not a regular file of at most 256 KB.');
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
  const { description = name, model, tools } = fields;
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

function toolsOf(tools: readonly string[] | string): string[] {
  const names = typeof tools === 'string' ? tools.replace(/^\[|\]$/g, '').split(',') : tools;
  const mapped = names
    .map((name) => unquoted(name.trim()))
    .filter((name) => name !== '')
    .flatMap((name) => (Object.hasOwn(toolGroups, name) ? (toolGroups[name] ?? []) : [mcpName(name)]));
  return [...new Set(mapped)];
}

function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, '$2');
}

/** `server/tool`, as the editor writes it. */
function mcpName(name: string): string {
  const [, server, tool] = /^([\w.-]+)\/([\w.*-]+)$/.exec(name) ?? [];
  return server === undefined ? name : tool === '*' ? `mcp__${server}` : `mcp__${server}__${tool}`;
}
