import { dirname, sep } from 'node:path';

/** Whether it is that file, or in that folder. Both absolute. */
export function isAt(path: string, fileOrFolder: string, slash = sep): boolean {
  return (
    path === fileOrFolder ||
    path.startsWith(fileOrFolder.endsWith(slash) ? fileOrFolder : fileOrFolder + slash)
  );
}

/** Nearest first, without itself. @param path absolute */
export function foldersAround(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAround(parent)];
}

/** Whether one of the folders around it is among these. All absolute. */
export function isIn(folders: Pick<ReadonlySet<string>, 'has'>, path: string): boolean {
  return foldersAround(path).some((folder) => folders.has(folder));
}

/** What all names of a file have in common: Windows knows both slashes, and takes no notice of case. */
export function folded(path: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path;
}

/** Whether they are two names that differ in case alone, and so may be those of one file, also on macOS. */
export function differInCase(one: string, other: string): boolean {
  return one !== other && folded(one, 'win32') === folded(other, 'win32');
}
