import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The browser that shows the workbench of a VS Code server, if there is one. */
export function findChromium(): string | undefined {
  const chosen = process.env.IDE_BRIDGE_CHROMIUM;
  if (chosen) {
    if (!isExecutable(chosen)) throw new Error(`IDE_BRIDGE_CHROMIUM is not an executable file: ${chosen}`);
    return chosen;
  }
  // The first one has no window at all, and takes a sixth less of the machine.
  return findOnPath([
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ]);
}

/** The path of the first of these programs that is there. */
export function findOnPath(names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
