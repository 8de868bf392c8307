// Ends the processes of a host, in every outcome of the run that started it.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process and when it was started, so that a reused pid is not mistaken for it. */
interface ProcessEntry {
  pid: number;
  parent: number;
  started: string;
}

const roots = new Set<number>();
const ending = new Set<number>();
let watching = false;

/** Sees to it that the process `pid` and all that it starts do not outlive this one. */
export function endWithRunner(pid: number): void {
  roots.add(pid);
  if (watching) return;
  watching = true;
  process.on('exit', () => {
    for (const root of roots) kill(processTree(root), 'SIGKILL');
  });
  // Node dies of a signal without an 'exit' event unless somebody listens.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    let asked = false;
    process.on(signal, () => {
      if (asked) process.exit(code);
      asked = true;
      void Promise.all([...roots].map((root) => endTree(root))).finally(() => process.exit(code));
    });
  }
}

/**
 * Ends a process and all that it started, terminals included. Only `pid` itself is asked to: VS Code's extension hosts
 * look for their server every second and deactivate their extensions once it is gone, while a signal would end them
 * at once. What is left after `patience` ms is killed.
 */
export async function endTree(pid: number, patience = 2500): Promise<void> {
  // Listed before the signal: once a parent is gone, its children cannot be found from here.
  ending.add(pid);
  const tree = processTree(pid);
  kill(
    tree.filter((entry) => entry.pid === pid),
    'SIGTERM',
  );
  const deadline = Date.now() + patience;
  while (survivors(tree).length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  kill(survivors(tree), 'SIGKILL');
  roots.delete(pid);
}

/** Kills a process and all that it started at one blow, as a power cut does. */
export function killTree(pid: number): void {
  ending.add(pid);
  kill(processTree(pid), 'SIGKILL');
  roots.delete(pid);
}

/** Whether endTree() or killTree() was called for this process. */
export const isEnding = (pid: number): boolean => ending.has(pid);

/** Pids of those that this process has started and that still run. */
export function childrenOf(pid: number): number[] {
  return listProcesses().flatMap((entry) => (entry.parent === pid ? [entry.pid] : []));
}

/** Pid of the child of the editor's server that runs the extensions. @throws unless there is exactly one */
export function extensionHost(serverPid: number): number {
  const hosts = childrenOf(serverPid).filter((pid) => commandOf(pid).includes('=extensionHost'));
  if (hosts.length !== 1) {
    throw new Error(`Expected one extension host below ${serverPid}, found ${hosts.length}.`);
  }
  return hosts[0] as number;
}

/** Arguments, each with a NUL after it. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

function kill(processes: ProcessEntry[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself in the meantime.
    }
  }
}

/** Those of `processes` that still run. */
function survivors(processes: ProcessEntry[]): ProcessEntry[] {
  const now = new Map(listProcesses().map((entry) => [entry.pid, entry.started]));
  return processes.filter(({ pid, started }) => now.get(pid) === started);
}

/** The process and its descendants. Shells of terminals have sessions of their own, so a process group is not enough. */
function processTree(root: number): ProcessEntry[] {
  const all = listProcesses();
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

function listProcesses(): ProcessEntry[] {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** Linux: small systems have no `ps`. */
function fromProc(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name of the program, in parentheses, may hold anything. After it: state, parent, ..., start time (20th).
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), started: rest[17] ?? '' }];
      } catch {
        return []; // It ended while we were reading.
      }
    });
}

function fromPs(): ProcessEntry[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,lstart='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
      return match ? [{ pid: Number(match[1]), parent: Number(match[2]), started: match[3] ?? '' }] : [];
    });
}
