import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of the `rg` that the editor searches with.
 * @param appRoot of the editor
 * @returns undefined where this editor has it elsewhere, or not at all
 */
export function ripgrepFolder(appRoot: string, { platform, arch } = process): string | undefined {
  const name = platform === 'win32' ? 'rg.exe' : 'rg';
  return ['node_modules', 'node_modules.asar.unpacked']
    .map((folder) => join(appRoot, folder, '@vscode'))
    .flatMap((folder) => [
      join(folder, 'ripgrep', 'bin'),
      join(folder, 'ripgrep-universal', 'bin', `${platform}-${arch}`), // since 1.96
    ])
    .find((folder) => existsSync(join(folder, name)));
}
