import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildProcesses } from './childProcesses.ts';
import { isAlive, parentFromProc, processTable } from './processes.ts';

/**
 * Asks a process to end, then ends it and all that it has started.
 * @param patience ms that it has to end by itself
 */
export async function endTree(pid: number, processes: ChildProcesses, patience: number): Promise<void> {
  // Asked now: what outlives its parent belongs to another one afterwards.
  const tree = await descendants(pid, processes).catch(() => []);
  signal(pid, 'SIGTERM');
  const end = Date.now() + patience;
  while (isAlive(pid) && Date.now() < end) {
    await delay(20);
  }
  for (const each of [pid, ...tree]) {
    signal(each, 'SIGKILL');
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone already
  }
}

/** All that a process has started, and what that has started, and so on; not itself. */
export async function descendants(pid: number, processes: ChildProcesses): Promise<number[]> {
  const parents = process.platform === 'linux' ? await parentsOnLinux() : await processTable(processes);
  const found = new Set([pid]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const [child, parent] of parents) {
      if (found.has(parent)) {
        found.add(child);
      }
    }
  }
  found.delete(pid);
  return [...found];
}

async function parentsOnLinux(): Promise<Map<number, number>> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const parents = await Promise.all(
    pids.map(async (pid) => [pid, (await parentFromProc(pid)) ?? 0] as const),
  );
  return new Map(parents);
}
