import * as fs from 'node:fs';
import { join } from 'node:path';
import { lockFileContent, type LockFileContent } from '../protocol/ide.ts';
import { isForeign } from './privateDir.ts';
import { isLeftTemporary } from './replaceFile.ts';
import { readSmallFile } from './smallFile.ts';

interface Probes {
  isAlive(pid: number): boolean;
  isListening(port: number): Promise<boolean>;
}

/**
 * Deletes locks that no CLI can use: those of dead processes, as the CLI itself does, and those of ours whose
 * port nobody listens on (the editor lives on after its extension host has crashed). Deletes what another user has
 * put there, too: the CLI would take it for an editor of this user. A lock that cannot be read as one stays.
 * @returns the paths that were deleted.
 */
export async function sweepLockFiles(dir: string, bridge: string, probes: Probes): Promise<string[]> {
  const swept: string[] = [];
  for (const name of namesIn(dir)) {
    const path = join(dir, name);
    if ((await isGhost(path, name, bridge, probes)) && remove(path)) {
      swept.push(path);
    }
  }
  return swept;
}

/** The lock files that can be read as such, whoever wrote them. */
export function readLockFiles(dir: string): { path: string; port: number; content: LockFileContent }[] {
  return namesIn(dir).flatMap((name) => {
    const path = join(dir, name);
    const port = portOf(name);
    const content = port === undefined ? undefined : readLock(path);
    return port === undefined || content === undefined ? [] : [{ path, port, content }];
  });
}

async function isGhost(path: string, name: string, bridge: string, probes: Probes): Promise<boolean> {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) {
    return false;
  }
  if (isLeftTemporary(name, stat)) {
    return true;
  }
  const port = portOf(name);
  if (port === undefined) {
    return false;
  }
  if (isForeign(stat)) {
    return true;
  }
  const content = readLock(path);
  return (
    content !== undefined &&
    (!probes.isAlive(content.pid) || (content.bridge === bridge && !(await probes.isListening(port))))
  );
}

export function readLock(path: string): LockFileContent | undefined {
  try {
    return lockFileContent.parse(JSON.parse(readSmallFile(path)?.text ?? ''));
  } catch {
    return undefined;
  }
}

function portOf(name: string): number | undefined {
  const port = /^(\d{1,5})\.lock$/.exec(name)?.[1];
  return port === undefined || Number(port) > 65_535 ? undefined : Number(port);
}

function namesIn(dir: string): string[] {
  try {
    return fs.readdirSync(dir);
  } catch {
    return []; // no folder, no locks
  }
}

function remove(path: string): boolean {
  try {
    fs.unlinkSync(path);
    return true;
  } catch {
    return false; // Somebody else was faster, or it is not ours to delete.
  }
}
