import { readFile, readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
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
  const parents = await processTable(processes);
  return walkUp(pid, (child) => parents.get(child));
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

async function parentFromProc(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) || undefined;
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

async function parentsOnLinux(): Promise<Map<number, number>> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const parents = await Promise.all(
    pids.map(async (pid) => [pid, (await parentFromProc(pid)) ?? 0] as const),
  );
  return new Map(parents);
}

/** Reads all processes at once: on Windows one query costs half a second, however much it asks for. */
async function processTable(processes: ChildProcesses): Promise<Map<number, number>> {
  const [command, ...args] =
    process.platform === 'win32'
      ? [
          'powershell.exe',
          '-NoProfile',
          '-NonInteractive',
          '-Command',
          'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId)" }',
        ]
      : ['ps', '-A', '-o', 'pid=,ppid='];
  const { stdout } = await processes.run(command, args);
  return new Map(parseProcessTable(stdout.toString()));
}

/** Lines of "pid parent". */
export function parseProcessTable(text: string): [pid: number, parent: number][] {
  return [...text.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm)].map(([, pid, parent]) => [
    Number(pid),
    Number(parent),
  ]);
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
