// npm run client -- COMMAND: talks to an editor as the CLI does. For authors of other editors, and for a look inside.
import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { findLocks, IdeClient, type Lock } from '../test/support/ideClient.ts';

const usage = `Usage: npm run client -- [--port PORT] COMMAND

  locks                 the editors that have a lock file
  tools                 what the editor's server offers
  call TOOL [JSON]      calls a tool, e.g.  call openFile '{"filePath":"README.md"}'
  listen                prints what the editor sends, until Ctrl+C

Without --port: the editor in whose folder you are (as CLAUDE_CODE_SSE_PORT or the lock files tell).
Lock files are looked for in CLAUDE_CONFIG_DIR, else in ~/.claude.`;

const configDir = process.env.CLAUDE_CONFIG_DIR || join(homedir(), '.claude');

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { port: { type: 'string' } },
    allowPositionals: true,
  });
  const [command, ...args] = positionals;
  switch (command) {
    case 'locks':
      for (const { port, ideName, pid, workspaceFolders } of findLocks(configDir)) {
        console.log(`${port}  ${ideName} (process ${pid})  ${workspaceFolders.join(', ')}`);
      }
      return;
    case 'tools':
      return withClient(values.port, async (client) => print(await client.request('tools/list')));
    case 'call':
      return withClient(values.port, (client) => call(client, args));
    case 'listen':
      return withClient(values.port, listen);
    case undefined:
    default:
      throw new Error(usage);
  }
}

async function call(client: IdeClient, [name, json = '{}']: string[]): Promise<void> {
  if (name === undefined) {
    throw new Error(usage);
  }
  const { content, isError } = await client.call(name, parse(json));
  for (const { text, ...other } of content) {
    console.log(text ?? JSON.stringify(other));
  }
  process.exitCode = isError ? 1 : 0;
}

function parse(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) {
      return value;
    }
  } catch {
    // told below
  }
  throw new Error(`The arguments must be a JSON object, not: ${json}`);
}

async function listen(client: IdeClient): Promise<void> {
  client.socket.on('message', (data: Buffer) => console.log(data.toString('utf8')));
  process.once('SIGINT', () => client.socket.close());
  await client.closed;
}

async function withClient(
  port: string | undefined,
  use: (client: IdeClient) => Promise<void>,
): Promise<void> {
  const lock = chooseLock(port ?? process.env.CLAUDE_CODE_SSE_PORT);
  const client = await IdeClient.connect({ port: lock.port, token: lock.authToken });
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

function chooseLock(port: string | undefined): Lock {
  const locks = findLocks(configDir);
  const lock = locks.find((candidate) =>
    port === undefined ? candidate.workspaceFolders.some(isHere) : candidate.port === Number(port),
  );
  if (!lock) {
    const where = port === undefined ? 'for this folder' : `for port ${port}`;
    throw new Error(
      `No lock file ${where} among the ${locks.length} in ${join(configDir, 'ide')}. Is the editor open?`,
    );
  }
  return lock;
}

function isHere(folder: string): boolean {
  const path = relative(folder, process.cwd());
  return !path.startsWith('..') && !isAbsolute(path);
}

function print(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
