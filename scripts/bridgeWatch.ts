import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { lockFileContent, type LockFileContent } from '../src/protocol/ide.ts';
import { lockDir } from '../src/server/configDir.ts';
import { isAlive } from '../src/server/processes.ts';

/**
 * Tells on the console when a bridge for `folder` comes up and goes, by the lock files that Claude Code reads too.
 * Looks twice a second, since the folder of the lock files need not exist yet.
 */
export function watchBridge(folder: string): void {
  let last: string | undefined;
  const look = async () => {
    const port = await findBridge(folder);
    if (port !== undefined && port !== last) {
      console.log(`Bridge up on port ${port}: type "claude" in a terminal of the editor.`);
    } else if (port === undefined && last !== undefined) {
      console.log('Bridge down: the window was closed, or is loading again.');
    }
    last = port;
    setTimeout(() => void look(), 500);
  };
  void look();
}

async function findBridge(folder: string): Promise<string | undefined> {
  for (const name of await readdir(lockDir()).catch(() => [])) {
    if (!name.endsWith('.lock')) continue;
    const lock = await readLock(path.join(lockDir(), name));
    if (!lock || !isAlive(lock.pid)) continue;
    const folders = await Promise.all(lock.workspaceFolders.map((each) => realpath(each).catch(() => each)));
    if (folders.includes(folder)) return path.basename(name, '.lock');
  }
  return undefined;
}

async function readLock(file: string): Promise<LockFileContent | undefined> {
  try {
    return lockFileContent.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined; // Another editor's, or gone by now.
  }
}
