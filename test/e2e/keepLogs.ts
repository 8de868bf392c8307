import { copyFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Copies the extension's log of each extension host that ran on that data. */
export async function keepLogs(dataDir: string, folder: string): Promise<void> {
  for (const [index, log] of (await logsIn(dataDir)).entries()) {
    await copyFile(path.join(dataDir, log), path.join(folder, `extension-${index + 1}.log`));
  }
}

/** The last lines that the extension has logged in the extension host that was started last. */
export async function logTail(dataDir: string, lines: number): Promise<string> {
  const last = (await logsIn(dataDir)).at(-1);
  const log = last === undefined ? '' : await readFile(path.join(dataDir, last), 'utf8');
  return log.trimEnd().split('\n').slice(-lines).join('\n');
}

/** By the time of their extension host. */
async function logsIn(dataDir: string): Promise<string[]> {
  const files = await readdir(dataDir, { recursive: true });
  return files.filter((file) => /IDE Bridge[^/]*\.log$/.test(file)).sort();
}
