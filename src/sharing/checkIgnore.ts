import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../base/errors.ts';
import type { Git } from '../server/git.ts';

/**
 * Which names in a folder Git ignores: none outside of a repository, and where there is no Git.
 * @returns undefined when Git cannot tell, as for a repository of another user, which is usual in containers
 */
export async function checkIgnore(
  git: Git,
  folder: string,
  names: readonly string[],
): Promise<Set<string> | undefined> {
  try {
    // It looks into no file, so no filter is in question.
    // Not as patterns, which a name may look like.
    const input = names.map((name) => `./${name}\0`).join('');
    const { code, stdout, stderr } = await git.run(folder, ['check-ignore', '-z', '--stdin'], { input });
    // 0: some are ignored; 1: none. A repository that is broken is called "not a git repository", too.
    const hasAnswer = code === 0 || code === 1 || stderr.includes('not a git repository (or any');
    const ignored = stdout.toString().split('\0');
    return hasAnswer ? new Set(ignored.map((name) => name.replace(/^\.\//, ''))) : undefined;
  } catch (error) {
    // The same is said of the folder in which it is started.
    const isGitMissing = errorCode(error) === 'ENOENT' && existsSync(dirname(process.execPath));
    return isGitMissing ? new Set() : undefined;
  }
}
