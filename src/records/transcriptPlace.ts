import { join } from 'node:path';
import { isOwnFolder, namesIn, statOf } from './recordFile.ts';

/** Longer names are cut here, and get a hash of the CLI's own. */
const maxSlug = 200;

/** The folder of a working directory's transcripts, below `<config>/projects`; for a long one, what its name begins with. */
export function slugOf(cwd: string): { readonly name: string; readonly isWhole: boolean } {
  const slug = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  return slug.length <= maxSlug
    ? { name: slug, isWhole: true }
    : { name: `${slug.slice(0, maxSlug)}-`, isWhole: false };
}

/** Whether the folder of that name has the transcripts of that working directory: others may have the same. */
export function isSlugOf(name: string, cwd: string): boolean {
  const slug = slugOf(cwd);
  return slug.isWhole ? name === slug.name : name.startsWith(slug.name);
}

/** Whether what was begun in `cwd` is of a folder: slugs are not unique, `my.app` and `my-app` have the same. */
export function isOfFolder(folder: string, cwd: string): boolean {
  const plain = (path: string) =>
    `${path
      .replace(/[/\\]+/g, '/')
      .replace(/\/$/, '')
      .toLowerCase()}/`;
  return plain(cwd).startsWith(plain(folder));
}

/** All of them, whatever they are of. */
export function projectFolders(projects: string): string[] {
  return namesIn(projects).map((name) => join(projects, name));
}

/** Whether a transcript lies in one of these folders: by the names alone. */
export function hasTranscript(folders: readonly string[]): boolean {
  return folders.some((folder) => namesIn(folder).some((name) => sessionIdIn(name) !== undefined));
}

/** The folders that can be those of a working directory: mostly one, there or not; none where `projects` is a link. */
export function foldersOf(projects: string, cwd: string): string[] {
  if (statOf(projects)?.isSymbolicLink() === true) {
    return [];
  }
  const { name, isWhole } = slugOf(cwd);
  if (isWhole) {
    return [join(projects, name)];
  }
  return namesIn(projects)
    .filter((found) => found.startsWith(name))
    .map((found) => join(projects, found));
}

/** The folders of transcripts that were begun in `cwd` or below it, and of some that were not: slugs are not unique. */
export function foldersBelow(projects: string, cwd: string): string[] {
  const { name } = slugOf(cwd);
  return namesIn(projects)
    .filter((found) => found === name || found.startsWith(name.endsWith('-') ? name : `${name}-`))
    .map((found) => join(projects, found));
}

/**
 * The folder with the transcript of a session. One that was begun in another folder (another working tree, a resumed one)
 * is looked for in all of them: its id is its own.
 */
export function folderOf(projects: string, cwd: string, sessionId: string): string | undefined {
  const likely = foldersOf(projects, cwd);
  const hasIt = (folder: string) =>
    statOf(join(folder, transcriptName(sessionId))) !== undefined && isOwnFolder(folder);
  return likely.find(hasIt) ?? projectFolders(projects).find(hasIt) ?? likely[0];
}

export function transcriptName(sessionId: string): string {
  return `${sessionId}.jsonl`;
}

/** Never what a command line takes for an option. */
const transcript = /^(\w[\w-]{0,99})\.jsonl$/;
const agentTranscript = /^agent-([\w-]{1,100})\.jsonl$/;

/** The session that a file in such a folder is the transcript of. */
export function sessionIdIn(name: string): string | undefined {
  return agentIdIn(name) === undefined ? transcript.exec(name)?.[1] : undefined;
}

/** The sub-agent whose transcript a file is. */
export function agentIdIn(name: string): string | undefined {
  return agentTranscript.exec(name)?.[1];
}
