import { existsSync } from 'node:fs';

/** The first word of a line for the shell, with its quotes; PowerShell wants a `&` before a quoted one. */
export function programOf(command: string): string {
  return /^\s*(?:&\s*)?("[^"]*"|'[^']*'|\S*)/.exec(command)?.[1] ?? '';
}

/** Whether a shell would find the program of a command; what depends on the shell's own state is taken as found. */
export function isOnPath(
  command: string,
  path = process.env.PATH ?? '',
  platform: NodeJS.Platform = process.platform,
): boolean {
  const program = programOf(command).replace(/["']/g, '');
  if (/^\.|[$%~]/.test(program)) {
    return true;
  }
  const isWindows = platform === 'win32';
  const folders = /[\\/]/.test(program)
    ? ['']
    : path.split(isWindows ? ';' : ':').map((folder) => `${folder}/`);
  const endings = isWindows ? ['', '.ps1', ...(process.env.PATHEXT ?? '.EXE;.CMD').split(';')] : [''];
  return folders.some((folder) => endings.some((ending) => existsSync(folder + program + ending)));
}
