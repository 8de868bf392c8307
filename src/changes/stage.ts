import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import { firstLine, firstOf } from '../base/text.ts';
import { printable } from '../base/printable.ts';
import { type Change, stampOf } from './changes.ts';
import { realPathOf } from './changeSets.ts';
import { openDocument, openNotebook } from '../editor/documents.ts';
import { editorGit, type GitChange, type GitRepository } from '../editor/editorGit.ts';

/** Real paths, and where each was before it was moved, if it was. */
type Files = Map<string, string | undefined>;

/** Says why a file is not staged, in words that go on after its name. */
type Refuse = (path: string, reason: string) => void;

/**
 * Puts files into the index of their repositories, by the editor's own Git.
 * @returns those that are in it as they are on disk, and what is to be said of the others
 * @throws when none is
 */
export async function stage(changes: readonly Change[]): Promise<{ staged: string[]; note: string }> {
  const git = await editorGit();
  if (!git) {
    throw new Error('The editor’s own Git is off, so nothing was staged or kept. Keep without staging.');
  }
  // Of a link, Git would stage where it leads to, not what is there.
  const listed = [...new Map(changes.map(({ snapshot }) => [snapshot.path, snapshot])).values()].map(
    ({ path, from }) => ({ path, from, real: realPathOf(path) }),
  );
  const reasons = new Map<string, string>();
  const refuse: Refuse = (path, reason) => reasons.set(path, reason);
  /** By their roots: Git gives another object each time. */
  const found = new Map<string, { repository: GitRepository; files: Files }>();
  for (const { path, from, real } of listed) {
    // Where a folder was opened through a link, Git knows it by that name.
    const uris = [real, path].map((each) => vscode.Uri.file(each));
    const repository = uris.map((uri) => git.getRepository(uri)).find((each) => each);
    const root = repository?.rootUri.toString() ?? '';
    if (!repository) {
      refuse(real, 'is in no Git repository that the editor has open');
    } else if (uris.some((uri) => openDocument(uri)?.isDirty || openNotebook(uri)?.isDirty)) {
      refuse(real, 'has unsaved changes. Save it first');
    } else {
      const files: Files = found.get(root)?.files ?? new Map<string, string | undefined>();
      found.set(root, { repository, files: files.set(real, from) });
    }
  }
  for (const { repository, files } of found.values()) {
    await stageIn(repository, files, refuse);
  }
  const staged = listed.filter(({ real }) => !reasons.has(real)).map(({ path }) => path);
  const refused = listed.flatMap(({ path, real }) => {
    const reason = reasons.get(real);
    return reason === undefined ? [] : [`${vscode.workspace.asRelativePath(path)} ${reason}`];
  });
  const left = printable(firstOf(refused), 1_000);
  if (staged.length === 0) {
    throw new Error(`Nothing was kept: ${left}.`);
  }
  const note = 'It is staged; Undo leaves it so';
  return { staged, note: left ? `${note}. Not kept: ${left}` : note };
}

async function stageIn(repository: GitRepository, files: Files, refuse: Refuse): Promise<void> {
  const paths = [...files.keys()];
  await repository.status().catch(() => {}); // which Git follows with a delay; what fails here fails below
  const opened = repository.rootUri.fsPath;
  const root = realPathOf(opened);
  const namesOf = (changes: readonly GitChange[]) =>
    new Set(changes.map(({ uri }) => relative(opened, uri.fsPath)));
  const index = namesOf(repository.state.indexChanges);
  const tree = namesOf(repository.state.workingTreeChanges);
  const merge = namesOf(repository.state.mergeChanges);
  const isTakenOut = (path: string) => {
    const name = relative(root, path);
    return !existsSync(path) && index.has(name) && !tree.has(name);
  };
  const meant: string[] = [];
  for (const [path, from] of files) {
    const conflict = merge.has(relative(root, path)) ? await conflictIn(path) : undefined;
    if (conflict !== undefined) {
      refuse(path, conflict);
    } else if (!isTakenOut(path)) {
      meant.push(path);
      if (from !== undefined && !existsSync(from) && tree.has(relative(root, from))) {
        meant.push(from); // the other half of a rename
      }
    }
  }
  const stampsOf = () => Promise.all(paths.map(stampOf));
  const before = await stampsOf();
  if (meant.length > 0) {
    await add(repository, meant, refuse);
  }
  const after = await stampsOf();
  paths
    .filter((_path, index) => before[index] !== after[index])
    .forEach((path) => refuse(path, 'was written while Git staged it. Look at it again'));
}

/** Of a file that Git is merging: to stage it would say that it is resolved. Undefined where it is. */
async function conflictIn(path: string): Promise<string | undefined> {
  if (!existsSync(path)) {
    return 'is deleted, and in conflict. Choose in Source Control what becomes of it';
  }
  const hasMarkers = /^(<{7}|>{7})/m.test(await readFile(path, 'latin1').catch(() => ''));
  return hasMarkers ? 'still has conflict markers. Resolve them first' : undefined;
}

/** All at once, or where Git takes one of them only by half: it does not say which. */
async function add(repository: GitRepository, paths: readonly string[], refuse: Refuse): Promise<void> {
  try {
    await repository.add([...paths]);
  } catch (error) {
    const words = wordsOf(error);
    const isGone = /did not match any files/.test(words) && paths.every((path) => !existsSync(path));
    if (paths.length > 1 && !words.includes('index.lock')) {
      const half = Math.ceil(paths.length / 2);
      await add(repository, paths.slice(0, half), refuse);
      await add(repository, paths.slice(half), refuse);
    } else if (!isGone) {
      // Git has never had what is gone: there is nothing to stage then.
      const reason = words.includes('are ignored by one of')
        ? 'is ignored by Git'
        : `could not be staged (${firstLine(words).replace(/^(fatal|error): /, '')})`;
      paths.forEach((path) => refuse(path, reason));
    }
  }
}

/** What Git has printed, if it is its error. */
function wordsOf(error: unknown): string {
  return typeof error === 'object' && error && 'stderr' in error && typeof error.stderr === 'string'
    ? error.stderr
    : errorMessage(error);
}
