import { copyFile, readdir } from 'node:fs/promises';
import path from 'node:path';

/** Copies the extension's log of each extension host that ran on that data. */
export async function keepLogs(dataDir: string, folder: string): Promise<void> {
  const files = await readdir(dataDir, { recursive: true });
  const logs = files.filter((file) => /IDE Bridge[^/]*\.log$/.test(file)).sort();
  for (const [index, log] of logs.entries()) {
    await copyFile(path.join(dataDir, log), path.join(folder, `extension-${index + 1}.log`));
  }
}
