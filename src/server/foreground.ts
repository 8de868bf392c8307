import { readdir, readFile, readlink } from 'node:fs/promises';
import { errorCode } from '../base/errors.ts';
import { lineageOnLinux } from './lineage.ts';

interface ProcessStatus {
  readonly state: string;
  /** When it began, in ticks since the system did. */
  readonly began: string | undefined;
  readonly group: number;
  /** Device number of its terminal, 0 without. */
  readonly terminal: number;
  /** The process group that may read that terminal. */
  readonly foreground: number;
}

/**
 * Whether what is typed into the terminal of that shell is read by this process, and by no other. Known on Linux alone;
 * false wherever it is not known. A CLI that is suspended is in the background; an editor that it has opened is in its
 * own group, and holds the terminal open.
 */
export async function readsTerminal(pid: number, shell: number): Promise<boolean> {
  const [own, ofShell, terminal] = await Promise.all([
    status(pid),
    status(shell),
    readlink(`/proc/${pid}/fd/0`).catch(() => undefined),
  ]);
  if (
    !own ||
    own.terminal === 0 ||
    own.terminal !== ofShell?.terminal || // it runs in a terminal within that terminal
    own.group !== own.foreground ||
    own.state === 'T' ||
    !terminal?.startsWith('/dev/')
  ) {
    return false;
  }
  const ancestors = await lineageOnLinux(pid); // a script that has started it waits for its end
  const others = (await processIds()).filter((other) => !ancestors.includes(other));
  const rivals = await Promise.all(
    others.map(async (other) => {
      const { group } = (await status(other)) ?? {};
      return group === own.group && (await mayHaveOpen(other, terminal));
    }),
  );
  return !rivals.includes(true);
}

/** Tells a process from a later one with its number. Undefined where it is not known, and when it has ended. */
export async function beginOf(pid: number): Promise<string | undefined> {
  return (await status(pid))?.began;
}

async function processIds(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** @see proc_pid_stat(5); the name of the program may hold spaces and parentheses. */
async function status(pid: number): Promise<ProcessStatus | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , group, , terminal, foreground] = fields;
  const began = fields[19];
  return state
    ? { state, began, group: Number(group), terminal: Number(terminal), foreground: Number(foreground) }
    : undefined;
}

/** One that has ended has nothing open; of one that belongs to another user it is not known. */
async function mayHaveOpen(pid: number, terminal: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  try {
    const targets = await Promise.all(
      (await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => undefined)),
    );
    return targets.some((target) => target === terminal || target === '/dev/tty');
  } catch (error) {
    return errorCode(error) === 'EACCES' && (await status(pid))?.state !== 'Z';
  }
}
