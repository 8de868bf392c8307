import { folded, isAt } from './isAt.ts';

/** A folder that is open in the editor. Both absolute. */
export interface OpenFolder {
  /** As the editor knows it. */
  readonly opened: string;
  /** Where links lead. */
  readonly real: string;
}

/** The path by which the editor knows a file: with the folder as it was opened, and on Windows with a small drive letter. */
export function nameIn(
  folders: readonly OpenFolder[],
  path: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const names = [
    ...folders.map(({ opened }) => [opened, opened] as const),
    ...folders.map(({ opened, real }) => [real, opened] as const),
  ];
  const [name = '', opened = ''] = names.find(([each]) => isBelow(path, each, platform)) ?? [];
  const known = opened + path.slice(name.length);
  return platform === 'win32' ? known.replace(/^[A-Z]:/, (drive) => drive.toLowerCase()) : known;
}

/** Whether it is one of them, or in one, by whatever name. */
export function isOpen(folders: readonly OpenFolder[], path: string, platform?: NodeJS.Platform): boolean {
  return folders.some(({ opened, real }) => [opened, real].some((name) => isBelow(path, name, platform)));
}

function isBelow(path: string, folder: string, platform?: NodeJS.Platform): boolean {
  return isAt(folded(path, platform), folded(folder, platform), '/');
}
