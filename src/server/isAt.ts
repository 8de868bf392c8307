import { sep } from 'node:path';

/** Whether it is that file, or in that folder. Both absolute. */
export function isAt(path: string, fileOrFolder: string): boolean {
  return (
    path === fileOrFolder || path.startsWith(fileOrFolder.endsWith(sep) ? fileOrFolder : fileOrFolder + sep)
  );
}
