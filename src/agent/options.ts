import path from 'node:path';
import { type AgentDefinition, agentsForCli } from './agentDefinition.ts';
import { type Cli, isOlder } from './cli.ts';

/** Modes that the CLI knows (2.1 calls `default` `manual`, and still takes the old word). */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** What an agent session is started with. */
export interface AgentOptions {
  /** Absolute; the first is where the agent works, the others are added. At least one. */
  readonly folders: readonly string[];
  readonly mode: PermissionMode;
  /** `bypassPermissions` is refused without. */
  readonly mayBypass: boolean;
  readonly model?: string;
  readonly fallbackModel?: string;
  readonly systemPrompt?: string;
  /** Of its folders. Also those that the CLI reads itself: it does so once, and with others it needs another process. */
  readonly agents?: readonly AgentDefinition[];
  /** Files with MCP servers, absolute: what the arguments of a process say all can read. */
  readonly mcpConfigFiles?: readonly string[];
  /** Where a session is resumed: goes on in a new one, and leaves that as it is. */
  readonly isFork?: boolean;
  /** The agent that the conversation is held with, in the place of the CLI's own. */
  readonly agent?: string;
  /** How much it thinks, as `--effort` takes it: new models do not heed a number of tokens. See `thinkingTokens`. */
  readonly effort?: string;
  /** A file, absolute, or JSON. */
  readonly settings?: string;
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  /** Names of tools that servers of this process offer to the session: with others it needs another process. */
  readonly hostTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Added to what the editor's own process has; undefined takes out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A folder with `rg`, which goes before all others on PATH. */
  readonly ripgrep?: string;
}

/** For a CLI without `--effort`: at least what the API takes, then what the CLI's own words `think` to `ultrathink` stand for. */
const tokensOfEffort = new Map([
  ['low', 1_024],
  ['medium', 4_000],
  ['high', 10_000],
  ['max', 31_999],
]);

/** @returns tokens for each answer; undefined where the CLI is told the effort itself, or does as it is set up */
export function thinkingTokens(
  { flags }: Pick<Cli, 'flags'>,
  effort: string | undefined,
): number | undefined {
  return flags.has('--effort') ? undefined : tokensOfEffort.get(effort ?? '');
}

/** As the CLI has it by itself. */
export function without(options: AgentOptions, name: 'model' | 'agent' | 'effort'): AgentOptions {
  const others: { -readonly [K in keyof AgentOptions]: AgentOptions[K] } = { ...options };
  delete others[name];
  return others;
}

/** Nothing of what the folders bring for the CLI. */
export function withoutFolderOffers({ agents = [], ...options }: AgentOptions): AgentOptions {
  const isTheirs = agents.some(({ name }) => name === options.agent);
  return { ...(isTheirs ? without(options, 'agent') : options), settingSources: ['user'] };
}

/** Without these nothing can be spoken. The last is hidden in `--help`, and works. */
const needed = [
  '-p',
  '--input-format=stream-json',
  '--output-format=stream-json',
  '--verbose',
  '--permission-prompt-tool=stdio',
];

/** The version that takes in `initialize` what all users of the machine can read as arguments; 1.0 does not. */
const tellsInInitialize = '2.0.77';

/**
 * @param resume the session to go on with
 * @returns the arguments; `initialize` is what goes with that request; `lacking` are those that this version of the CLI
 * does not have, and that are left out
 */
export function cliArguments(
  cli: Pick<Cli, 'flags' | 'version'>,
  options: AgentOptions,
  resume?: string,
): { readonly args: string[]; readonly initialize: object; readonly lacking: string[] } {
  const { folders, mode, model, fallbackModel, systemPrompt } = options;
  const agents = agentsForCli(options.agents ?? []);
  const hasAgents = Object.keys(agents).length > 0;
  const isOpen = isOlder(cli.version, tellsInInitialize);
  if (mode === 'bypassPermissions' && !options.mayBypass) {
    throw new Error('The mode "bypassPermissions" is not allowed here.');
  }
  const lacking: string[] = [];
  const isKnown = (name: string) => {
    if (!cli.flags.has(name)) {
      lacking.push(name);
    }
    return cli.flags.has(name);
  };
  // `=`, so that no value can be taken for a flag.
  const flag = (name: string, value: string | undefined) =>
    value !== undefined && isKnown(name) ? [`${name}=${value}`] : [];
  /** 1.0 looks for some flags before it takes its arguments apart, and overlooks them with `=`. */
  const words = (name: string, value: string | undefined) =>
    value !== undefined && isKnown(name) ? [name, value] : [];
  const args = [
    ...needed,
    ...(cli.flags.has('--include-partial-messages') ? ['--include-partial-messages'] : []),
    ...flag('--permission-mode', mode),
    ...flag('--model', model),
    // With the same the CLI does not start.
    ...flag('--fallback-model', fallbackModel === model ? undefined : fallbackModel),
    ...(isOpen ? flag('--append-system-prompt', systemPrompt) : []),
    // Else 2.1 goes on with the prompt that the session began with.
    ...(cli.flags.has('--system-prompt-snapshot') ? ['--system-prompt-snapshot=off'] : []),
    ...(isOpen && hasAgents ? flag('--agents', JSON.stringify(agents)) : []),
    ...flag('--agent', options.agent),
    ...flag('--effort', options.effort),
    ...(options.mcpConfigFiles ?? []).flatMap((file) => flag('--mcp-config', file)),
    ...words('--settings', options.settings),
    ...words('--setting-sources', options.settingSources?.join(',')),
    ...flag('--disallowedTools', options.disallowedTools?.join(',')),
    ...folders.slice(1).flatMap((folder) => flag('--add-dir', folder)),
    ...flag('--resume', resume),
    ...(options.isFork === true && resume !== undefined && isKnown('--fork-session')
      ? ['--fork-session']
      : []),
  ];
  const initialize = {
    ...(systemPrompt === undefined ? {} : { appendSystemPrompt: systemPrompt }),
    ...(hasAgents ? { agents } : {}),
  };
  return { args, initialize: isOpen ? {} : initialize, lacking };
}

/** Variables by which a CLI would take itself for the child of another one, or for one in a terminal of ours. */
const notInherited = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SSE_PORT',
  'ENABLE_IDE_INTEGRATION',
  'ELECTRON_RUN_AS_NODE',
];

export function cliEnvironment(
  cli: Pick<Cli, 'programEnv' | 'flags'>,
  { env = {}, ripgrep, effort }: AgentOptions,
  base: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const result: NodeJS.ProcessEnv = { ...base };
  for (const name of notInherited) {
    delete result[name];
  }
  Object.assign(result, { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }, cli.programEnv);
  if (ripgrep !== undefined) {
    // Windows writes it `Path`.
    const name = Object.keys(result).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
    result[name] = [ripgrep, ...(result[name] ? [result[name]] : [])].join(path.delimiter);
    result['USE_BUILTIN_RIPGREP'] = '0';
  }
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) {
      delete result[name];
    } else {
      result[name] = value;
    }
  }
  const tokens = thinkingTokens(cli, effort);
  if (tokens !== undefined) {
    result['MAX_THINKING_TOKENS'] = String(tokens); // what is picked goes before what is set
  }
  // A proxy of the user's would be asked for the bridge (2.0) and for ours. Programs differ in which of the two they read.
  const noProxy = withLoopback(result['NO_PROXY'], result['no_proxy']);
  return Object.assign(result, { NO_PROXY: noProxy, no_proxy: noProxy });
}

/** `*` means everything, but only if it stands alone. */
function withLoopback(...lists: readonly (string | undefined)[]): string {
  const hosts = lists.flatMap((list) => list?.split(',') ?? []).map((host) => host.trim());
  return hosts.includes('*') ? '*' : [...new Set([...hosts.filter(Boolean), '127.0.0.1'])].join(',');
}
