import { setTimeout as delay } from 'node:timers/promises';
import type { ChildProcesses } from './childProcesses.ts';
import { isAlive } from './processes.ts';
import { descendants, type ProcessTable, processTable } from './processTable.ts';

/**
 * Asks a process that we have started to end, then ends it and all that it has started.
 * @param began when it was seen to run, in ms since the epoch
 * @param patience ms that it has to end by itself
 */
export async function endTree(
  pid: number,
  began: number,
  processes: Pick<ChildProcesses, 'run'>,
  patience: number,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  const look = (): Promise<ProcessTable> => processTable(processes, platform).catch(() => new Map());
  // Asked now: what outlives its parent belongs to another one afterwards.
  const before = await look();
  const tree = descendants(before, pid, began);
  if (platform !== 'win32') {
    signal(pid, 'SIGTERM'); // There it would be the end at once: that its input is closed has to do.
  }
  const end = Date.now() + patience;
  while (isAlive(pid) && Date.now() < end) {
    await delay(20);
  }
  if (isAlive(pid)) {
    signal(pid, 'SIGKILL');
  }
  // Windows gives the number of a process that has ended to the next one.
  const now = platform === 'win32' && tree.length > 0 ? await look() : before;
  for (const each of tree) {
    if (now.get(each)?.began === before.get(each)?.began) {
      signal(each, 'SIGKILL');
    }
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone already
  }
}
