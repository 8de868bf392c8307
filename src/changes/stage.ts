import * as vscode from 'vscode';
import { openDocument } from '../editor/documents.ts';
import { editorGit, type GitRepository } from '../editor/editorGit.ts';

/**
 * Puts files into the index of their repositories, by the editor's own Git.
 * @throws when one of them cannot be: then none is
 */
export async function stage(paths: readonly string[]): Promise<void> {
  const git = await editorGit();
  if (!git) {
    throw new Error('The editor’s own Git is off, so nothing was staged or kept. Keep without staging.');
  }
  const found = new Map<GitRepository, string[]>();
  for (const path of paths) {
    const uri = vscode.Uri.file(path);
    const repository = git.getRepository(uri);
    if (!repository) {
      throw new Error(
        `${path} is in no Git repository that the editor has open. Nothing was staged or kept.`,
      );
    }
    if (openDocument(uri)?.isDirty) {
      throw new Error(`${path} has unsaved changes. Save it first; nothing was staged or kept.`);
    }
    found.set(repository, [...(found.get(repository) ?? []), path]);
  }
  for (const [repository, all] of found) {
    await repository.add(all);
  }
}
