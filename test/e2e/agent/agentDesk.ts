import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentSession, type AgentSurroundings } from '../../../src/agent/agentSession.ts';
import { type Cli, findCli } from '../../../src/agent/cli.ts';
import type { Item } from '../../../src/agent/items.ts';
import type { AgentOptions } from '../../../src/agent/options.ts';
import { ChildProcesses } from '../../../src/server/childProcesses.ts';
import { until } from '../../support/until.ts';
import { createCliHome } from '../cliHome.ts';
import { MockApi } from '../mockApi.ts';
import { type CliVersion, ensureCli } from '../provisionCli.ts';

/** Asked once: it takes two starts of the CLI. */
const found = new Map<CliVersion, Promise<Cli>>();

export function cliOf(version: CliVersion): Promise<Cli> {
  let cli = found.get(version);
  if (!cli) {
    cli = ensureCli(version).then((folder) =>
      findCli(new ChildProcesses(() => true, 30_000), path.join(folder, 'claude')),
    );
    found.set(version, cli);
  }
  return cli;
}

/** A folder, a real CLI of that version, and a model that says what the test scripts. */
export class AgentDesk {
  readonly processes = new ChildProcesses(() => true, 30_000);
  readonly logged: string[] = [];
  private readonly sessions: AgentSession[] = [];

  private constructor(
    readonly version: CliVersion,
    readonly root: string,
    readonly folder: string,
    readonly api: MockApi,
    private readonly env: Record<string, string>,
  ) {}

  static async open(version: CliVersion): Promise<AgentDesk> {
    const root = await mkdtemp(path.join(tmpdir(), 'ide-bridge-agent-'));
    const folder = path.join(root, 'ws');
    await mkdir(folder);
    const { env } = await createCliHome(root, folder);
    const api = await MockApi.start();
    return new AgentDesk(version, root, folder, api, { ...env, ANTHROPIC_BASE_URL: api.url });
  }

  async close(): Promise<void> {
    await Promise.all(this.sessions.map((session) => session.dispose()));
    await this.api.close();
    await rm(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** What sessions are started with, if nothing else is said. */
  options(): AgentOptions {
    return { folders: [this.folder], mode: 'default', mayBypass: false, env: this.env };
  }

  async session(
    around: Partial<AgentSurroundings> = {},
    options: Partial<AgentOptions> = {},
    resume?: string,
  ): Promise<AgentSession> {
    const note = (message: string) => void this.logged.push(message);
    const cli = await cliOf(this.version);
    const session = new AgentSession(
      {
        processes: this.processes,
        log: { trace: note, info: note, warn: note, error: note },
        ask: () => Promise.resolve({ kind: 'allow' }),
        ...around,
      },
      cli,
      { ...this.options(), ...options },
      resume,
    );
    this.sessions.push(session);
    return session;
  }

  async file(name: string, text: string): Promise<string> {
    const file = path.join(this.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  }

  /** The CLI has never been asked about the folder. */
  async forgetTrust(): Promise<void> {
    await writeFile(path.join(this.root, '.claude', '.claude.json'), '{}');
  }

  read(name: string): Promise<string> {
    return readFile(path.join(this.folder, name), 'utf8');
  }
}

export function items(session: AgentSession): readonly Item[] {
  return session.conversation.snapshot().items;
}

export function ofKind<K extends Item['kind']>(session: AgentSession, kind: K): Extract<Item, { kind: K }>[] {
  return items(session).filter((item): item is Extract<Item, { kind: K }> => item.kind === kind);
}

/** What the model has said to the user. */
export function saidIn(session: AgentSession): string[] {
  return items(session).flatMap((item) => (item.kind === 'text' ? [item.text] : []));
}

/** All turns that were asked for have ended. */
export async function turnsEnded(session: AgentSession, count: number): Promise<void> {
  await until(
    `${count} turns`,
    () => ofKind(session, 'turnEnd').length >= count && session.state === 'idle',
    60_000,
  );
}
