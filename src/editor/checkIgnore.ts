import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

/**
 * Which names in a folder Git ignores: none outside of a repository, and where there is no Git.
 * @returns undefined when Git cannot tell, as for a repository of another user, which is usual in containers
 */
export function checkIgnore(folder: string, names: readonly string[]): Promise<Set<string> | undefined> {
  return new Promise((resolve) => {
    let output = '';
    let errors = '';
    const git = spawn('git', ['-C', folder, 'check-ignore', '-z', '--stdin'], {
      cwd: dirname(process.execPath), // Windows looks there for git first: not among the user's files
      env: { ...process.env, LC_ALL: 'C' },
      windowsHide: true,
    });
    git.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ENOENT' ? new Set() : undefined));
    git.on('close', (code) => {
      // 0: some are ignored; 1: none. A repository that is broken is called "not a git repository", too.
      const hasAnswer = code === 0 || code === 1 || errors.includes('not a git repository (or any');
      resolve(hasAnswer ? new Set(output.split('\0')) : undefined);
    });
    git.stdout.setEncoding('utf8').on('data', (data: string) => (output += data));
    git.stderr.setEncoding('utf8').on('data', (data: string) => (errors += data));
    git.stdin.on('error', () => {}); // 'close' follows
    git.stdin.end(names.map((name) => `${name}\0`).join(''));
  });
}
