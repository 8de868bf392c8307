import { readdir, readFile } from 'node:fs/promises';
import type { ChildProcesses } from './childProcesses.ts';

/** By their numbers. */
export type ProcessTable = ReadonlyMap<
  number,
  {
    readonly parent: number;
    /** Ms since the epoch; 0 where it is not known. On Windows alone a process keeps the number of a parent that has ended. */
    readonly began: number;
  }
>;

/** From 1601 to 1970, in ms: Windows counts from the former, in units of 100 ns. */
const toEpoch = 11_644_473_600_000;

/** Ms by which the clock of the editor may be behind that of the system. */
const clockError = 1_000;

/** Reads all processes at once: on Windows one query costs half a second, however much it asks for. */
export async function processTable(
  processes: Pick<ChildProcesses, 'run'>,
  platform: NodeJS.Platform = process.platform,
): Promise<ProcessTable> {
  if (platform === 'linux') {
    return tableOnLinux();
  }
  const [command, ...args] =
    platform === 'win32'
      ? [
          'powershell.exe',
          '-NoProfile',
          '-NonInteractive',
          '-Command',
          'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) ' +
            '$(if ($_.CreationDate) { $_.CreationDate.ToFileTimeUtc() })" }',
        ]
      : ['ps', '-A', '-o', 'pid=,ppid='];
  const { stdout } = await processes.run(command, args);
  return parseProcessTable(stdout.toString());
}

async function tableOnLinux(): Promise<ProcessTable> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const rows = pids.map(
    async (pid) => [pid, { parent: (await parentFromProc(pid)) ?? 0, began: 0 }] as const,
  );
  return new Map(await Promise.all(rows));
}

export async function parentFromProc(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) || undefined;
}

/** Lines of "pid parent", on Windows with the time at which it began. */
export function parseProcessTable(text: string): ProcessTable {
  const lines = text.matchAll(/^\s*(\d+)\s+(\d+)(?:[ \t]+(\d+))?\s*$/gm);
  return new Map(
    [...lines].map(([, pid, parent, time]) => [
      Number(pid),
      { parent: Number(parent), began: time === undefined ? 0 : Math.floor(Number(time) / 10_000) - toEpoch },
    ]),
  );
}

/** Undefined where its number is that of a later process by now. */
export function parentIn(table: ProcessTable, pid: number): number | undefined {
  const row = table.get(pid);
  return row && (table.get(row.parent)?.began ?? 0) <= row.began ? row.parent : undefined;
}

/**
 * All that a process has started, and what that has started, and so on; not itself.
 * @param began when it was seen to run, in ms since the epoch
 */
export function descendants(table: ProcessTable, pid: number, began: number): number[] {
  const root = table.get(pid) ?? { parent: 0, began };
  if (root.began > began + clockError) {
    return []; // It has ended, and its number is another's: whose children these are nobody knows.
  }
  const all = new Map(table).set(pid, root);
  const found = new Set([pid]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const child of all.keys()) {
      const parent = parentIn(all, child);
      if (parent !== undefined && found.has(parent)) {
        found.add(child);
      }
    }
  }
  found.delete(pid);
  return [...found];
}
