import { isAbsolute, relative } from 'node:path';
import { isAlive } from '../server/processes.ts';
import { realPath } from '../server/realPath.ts';
import { readLockFiles } from '../server/sweep.ts';

/** The name by which lock files say that they are of this extension. */
export const bridgeName = 'ide-bridge-for-claude-code';

/** An editor window with a bridge of ours. */
export interface EditorWindow {
  /** Of the editor. */
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  readonly editor: string;
  readonly folders: readonly string[];
}

export interface Wanted {
  /** Of the window; else it is found by the folder. */
  readonly port?: number | undefined;
  /** Of the window that had the port when it was last there; another may have it by now. */
  readonly token?: string | undefined;
  /** In the window, or anywhere below what it has open. Absolute. */
  readonly folder: string;
}

/** Several windows fit, or none: the text says which there are, and what to do. */
export class NoSuchWindow extends Error {
  /** @param mayCome whether it may be another in a while, so that to look again has a point */
  constructor(
    message: string,
    readonly mayCome: boolean,
  ) {
    super(message);
  }
}

/** What the lock files in `dir` tell of. */
export function openWindows(dir: string): EditorWindow[] {
  return readLockFiles(dir).flatMap(({ port, content }) =>
    content.bridge === bridgeName && isAlive(content.pid)
      ? [
          {
            pid: content.pid,
            port,
            token: content.authToken,
            editor: content.ideName,
            folders: content.workspaceFolders,
          },
        ]
      : [],
  );
}

/**
 * The one with the wanted port; else the one whose folder is nearest above the wanted one.
 * @throws NoSuchWindow
 */
export function findWindow(windows: readonly EditorWindow[], { port, token, folder }: Wanted): EditorWindow {
  if (port !== undefined) {
    const found = windows.find((each) => each.port === port);
    if (!found) {
      throw new NoSuchWindow(`No editor window listens on port ${port}. ${listed(windows)}`, true);
    }
    if (token !== undefined && token !== found.token) {
      throw new NoSuchWindow(`Another editor window listens on port ${port} now. ${listed(windows)}`, false);
    }
    return found;
  }
  const nearness = new Map(windows.map((each) => [each, nearest(each.folders, folder)]));
  const best = Math.max(0, ...nearness.values());
  const [found, ...others] = windows.filter((each) => best > 0 && nearness.get(each) === best);
  if (!found) {
    throw new NoSuchWindow(`No editor window has ${folder} open. ${listed(windows)}`, true);
  }
  if (others.length > 0) {
    throw new NoSuchWindow(
      `Several editor windows have ${folder} open: say which by --port. ${listed([found, ...others])}`,
      // One editor has no folder open twice, as a rule: the window is reloaded, and what it was has not ended yet.
      others.every(({ pid }) => pid === found.pid),
    );
  }
  return found;
}

/** How long the name is of the folder that is nearest above `path`; 0 if there is none. */
function nearest(folders: readonly string[], path: string): number {
  const paths = [path, realPath(path)];
  const above = folders.filter((folder) =>
    [folder, realPath(folder)].some((each) => paths.some((below) => contains(each, below))),
  );
  return Math.max(0, ...above.map((folder) => realPath(folder).length));
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}

function listed(windows: readonly EditorWindow[]): string {
  return windows.length === 0
    ? 'Is it running, with IDE Bridge for Claude Code, and is its folder trusted?'
    : `There are: ${windows.map(({ editor, port, folders }) => `${editor} with ${folders.join(', ') || 'no folder'} (port ${port})`).join('; ')}.`;
}
