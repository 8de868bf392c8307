// Starts VS Code's server on loopback, behind a connection token.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { run } from './cache.ts';
import { endTree, endWithRunner, isEnding } from './processes.ts';
import type { Host } from './provision.ts';

export interface ServerOptions {
  host: Host;
  /** Holds all that the server writes: its own data, user settings, extensions, port and token. */
  dataDir: string;
  /** The whole environment of the server, and so of extension hosts and terminals. */
  env: NodeJS.ProcessEnv;
  /** Whether the workbench asks if the folder is trusted. */
  workspaceTrust: boolean;
  /** Whether the server ends itself five minutes after its last window, should its runner be gone by then. */
  endWhenUnused: boolean;
  onLine: (line: string) => void;
}

export interface Server {
  readonly pid: number;
  readonly origin: string;
  /** URL of a window on a folder, a .code-workspace file, or nothing; includes the token. */
  windowUrl(folder: string | undefined): string;
  /** Settles if the server ends untold, with its exit code, 1 for a signal. */
  readonly exit: Promise<number>;
  stop(): Promise<void>;
}

const dataArguments = (dataDir: string): string[] => [
  ...['--server-data-dir', path.join(dataDir, 'server')],
  ...['--user-data-dir', path.join(dataDir, 'user')],
  ...['--extensions-dir', path.join(dataDir, 'extensions')],
];

export async function startServer(options: ServerOptions): Promise<Server> {
  const { host, dataDir } = options;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const tokenFile = path.join(dataDir, 'connection-token');
  const token = await keptValue(tokenFile, async () => randomBytes(24).toString('hex'));
  const port = await choosePort(path.join(dataDir, 'port'));

  const child = spawn(
    host.node,
    [
      host.serverMain,
      ...['--host', '127.0.0.1', '--port', String(port), '--connection-token-file', tokenFile],
      ...dataArguments(dataDir),
      '--accept-server-license-terms',
      '--force-disable-user-env',
      ...['--telemetry-level', 'off'],
      // The default of three hours keeps extension hosts alive after their window is gone.
      ...['--reconnection-grace-time', '5'],
      ...(options.workspaceTrust ? [] : ['--disable-workspace-trust']),
      ...(options.endWhenUnused ? ['--enable-remote-auto-shutdown'] : []),
    ],
    // No gallery: nothing is asked of a marketplace. A group of its own, so that Ctrl+C in the terminal reaches the runner only, which then ends the server in order.
    { env: { ...options.env, EXTENSIONS_GALLERY: '{}' }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const { pid } = child;
  if (pid === undefined)
    throw new Error(`Could not start ${host.node}. Delete its folder to install it again.`);
  endWithRunner(pid);

  const exit = new Promise<number>((resolve) =>
    child.once('exit', (code) => {
      if (!isEnding(pid)) resolve(code ?? 1);
    }),
  );
  const output: string[] = [];
  const listening = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        if (/Extension host agent listening on \d+/.test(line)) resolve();
        // Blank lines, and the one line that holds the token.
        if (line === '' || line.includes(token)) return;
        output.push(line);
        options.onLine(line);
      });
    }
  });
  const failure = await Promise.race([listening, exit, timeout(30_000)]);
  if (failure !== undefined) {
    await endTree(pid);
    throw new Error(`VS Code's server did not start (${failure}):\n${output.slice(-15).join('\n')}`);
  }

  const origin = `http://127.0.0.1:${port}`;
  return {
    pid,
    origin,
    windowUrl: (folder) => {
      const query = new URLSearchParams({ tkn: token });
      if (folder === undefined) query.set('ew', 'true');
      else query.set(folder.endsWith('.code-workspace') ? 'workspace' : 'folder', folder);
      return `${origin}/?${query.toString()}`;
    },
    exit,
    stop: () => endTree(pid),
  };
}

/** Installs a .vsix file into a data folder, offline. No server may be running on it. */
export async function installVsix(host: Host, dataDir: string, vsix: string): Promise<void> {
  const args = ['--install-extension', path.resolve(vsix), '--force', ...dataArguments(dataDir)];
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const output = await run(host.node, [host.serverMain, ...args], dataDir);
  // It ends with 0 when the file does not exist.
  if (!/successfully installed/.test(output)) throw new Error(`Could not install ${vsix}:\n${output}`);
}

/**
 * A free port, the one of the last run on this data folder if possible: browsers keep what a workbench remembers
 * (layout, extension state) by origin, and the port is part of it.
 */
async function choosePort(file: string): Promise<number> {
  const last = Number(await readFile(file, 'utf8').catch(() => '0'));
  const port = await freePort(last).catch(() => freePort(0));
  await writeFile(file, String(port));
  return port;
}

/** Asks the system for a port of 127.0.0.1: the given one, or any for 0. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : wanted));
    });
  });
}

async function keptValue(file: string, create: () => Promise<string>): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept) return kept;
  const value = await create();
  await writeFile(file, value, { mode: 0o600 });
  return value;
}

function timeout(milliseconds: number): Promise<string> {
  return new Promise((resolve) =>
    setTimeout(resolve, milliseconds, `no answer in ${milliseconds} ms`).unref(),
  );
}
