import { readlink } from 'node:fs/promises';
import type { ChildProcesses } from './childProcesses.ts';
import { parentFromProc, parentIn, processTable } from './processTable.ts';

/** The process itself, its parent, and so on up: nearest first. What cannot be seen ends the list. */
export async function lineage(pid: number, processes: ChildProcesses): Promise<number[]> {
  if (process.platform === 'linux') {
    return lineageOnLinux(pid);
  }
  const table = await processTable(processes);
  return walkUp(pid, (child) => parentIn(table, child));
}

/** The same, without asking a program. */
export function lineageOnLinux(pid: number): Promise<number[]> {
  return walkUp(pid, parentFromProc);
}

async function walkUp(
  pid: number,
  parentOf: (pid: number) => number | undefined | Promise<number | undefined>,
): Promise<number[]> {
  const pids: number[] = [];
  // A pid that comes twice is a number that the system has used again.
  for (let next: number | undefined = pid; next && !pids.includes(next); next = await parentOf(next)) {
    pids.push(next);
  }
  return pids;
}

/** Undefined on Windows, where other processes do not tell, and for a process that is gone. */
export async function workingDirectory(pid: number, processes: ChildProcesses): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') {
      return await readlink(`/proc/${pid}/cwd`);
    }
    if (process.platform === 'darwin') {
      const { stdout } = await processes.run('lsof', ['-a', '-d', 'cwd', '-p', String(pid), '-Fn']);
      return /^n(.+)$/m.exec(stdout.toString())?.[1];
    }
  } catch {
    // gone, or another user's
  }
  return undefined;
}
