import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isAlive } from '../../src/server/processes.ts';

const execute = promisify(execFile);

/** Where downloaded hosts and CLIs are kept, outside the clone so that a clean clone pays for them once. */
export function cacheDir(): string {
  const base = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  return process.env.IDE_BRIDGE_CACHE || path.join(base, 'ide-bridge');
}

/**
 * Returns the cache folder `name`, calling `build` to fill it if it is not there.
 * `build` works in a temporary sibling that is renamed into place, so a killed install leaves nothing half written,
 * and of two installs at once the first to finish wins.
 */
export async function installOnce(name: string, build: (dir: string) => Promise<void>): Promise<string> {
  const target = path.join(cacheDir(), name);
  if (existsSync(target)) return target;
  await mkdir(cacheDir(), { recursive: true });
  await removeAbandonedBuilds();
  const building = await mkdtemp(path.join(cacheDir(), `.building-${process.pid}-`));
  try {
    await build(building);
    await rename(building, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return target;
}

/** Removes what killed installs left behind: temporary folders whose process no longer lives. */
async function removeAbandonedBuilds(): Promise<void> {
  for (const entry of await readdir(cacheDir())) {
    const pid = /^\.building-(\d+)-/.exec(entry)?.[1];
    if (pid && !isAlive(Number(pid)))
      await rm(path.join(cacheDir(), entry), { recursive: true, force: true });
  }
}

/** Runs a program to its end and returns its output; throws with the end of the output if it fails. */
export async function run(command: string, args: string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await execute(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string };
    const tail = `${stdout ?? ''}${stderr ?? ''}`.trimEnd().split('\n').slice(-15).join('\n');
    throw new Error(`"${command} ${args.join(' ')}" failed in ${cwd}:\n${tail || message}`, { cause: error });
  }
}
