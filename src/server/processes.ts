import { readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { errorCode } from '../base/errors.ts';
import type { ChildProcesses } from './childProcesses.ts';

export function isAlive(pid: number): boolean {
  if (pid <= 0) {
    return false; // 0 and below name process groups.
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM'; // alive, but another user's
  }
}

/** Whether anything accepts connections on this port of 127.0.0.1. Waits at most 500 ms. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const finish = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.setTimeout(500, () => finish(true)); // too busy to answer is not gone
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

/** The process itself, its parent, and so on up: nearest first. What cannot be seen ends the list. */
export async function lineage(pid: number, processes: ChildProcesses): Promise<number[]> {
  if (process.platform === 'linux') {
    return lineageOnLinux(pid);
  }
  const { parentIn, processTable } = await import('./processTable.ts');
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

export async function parentFromProc(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) || undefined;
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
