import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as z from 'zod/mini';
import { replaceFile } from '../server/replaceFile.ts';
import { readSmallFile } from '../server/smallFile.ts';

const lockFileContent = z.object({ authToken: z.string() });

/** Where the bridge is, and what opens it. @throws Error when the lock file cannot be read */
export function bridgeAddress(lockFile: string): { port: number; token: string } {
  const lock = readSmallFile(lockFile);
  if (!lock) {
    throw new Error('The lock file of the bridge cannot be read.');
  }
  const { authToken: token } = lockFileContent.parse(JSON.parse(lock.text));
  return { port: Number(basename(lockFile, '.lock')), token };
}

/**
 * Writes what `--mcp-config` of a CLI has to name, so that it has what the bridge offers at a path. In a file that only
 * this user can read: the arguments of a process can be read by all.
 * @param path where it is written, over what was there for the bridge before
 * @param lockFile of the running bridge, which has its token
 * @param server its name for the CLI, and the path without its slash
 * @throws Error when either cannot be
 */
export function writeMcpConfig(path: string, lockFile: string, server: 'editor' | 'ide'): void {
  const { port, token } = bridgeAddress(lockFile);
  const entry = {
    type: 'ws',
    url: `ws://127.0.0.1:${port}/${server}`,
    headers: { 'X-Claude-Code-Ide-Authorization': token },
  };
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, JSON.stringify({ mcpServers: { [server]: entry } }));
}

/**
 * A command line that names the file, as in the history of a shell, shall work further on; but the file is not to keep the
 * token of a bridge that is gone. Does nothing where there is no file.
 * @param lockFile undefined where there is nothing to connect to: then it names no server
 * @throws Error when it cannot be written
 */
export function renewMcpConfig(path: string, lockFile: string | undefined, server: 'editor'): void {
  if (!existsSync(path)) {
    return;
  }
  if (lockFile === undefined) {
    replaceFile(path, JSON.stringify({ mcpServers: {} }));
  } else {
    writeMcpConfig(path, lockFile, server);
  }
}
