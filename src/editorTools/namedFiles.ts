import { readdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import type { Access } from './access.ts';
import { isOfWorkspace } from './declaredIn.ts';
import { SourceLines } from './sourceLines.ts';

/** Of which the imports are followed, the nearest first. */
const maxFollowed = 200;

/** The files that words name, as in `Add import from "./keys"`, with or without their endings. */
async function filesNamed(words: string, from: vscode.Uri): Promise<vscode.Uri[]> {
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const named = [...words.matchAll(/["'`]([^"'`\n]+)["'`]/g)].map(([, path = '']) => path);
  const paths = [...new Set(named.filter((each) => /[\\/.]/.test(each)))].flatMap((path) =>
    (path.startsWith('.') ? [dirname(from.fsPath)] : roots).map((folder) => resolve(folder, path)),
  );
  const files = paths.flatMap((path) => [filesCalled(path), filesCalled(resolve(path, 'index'))]);
  return (await Promise.all(files)).flat();
}

/** Those of the actions for a file whose title names no file that is not shared. */
export async function withoutUnshared<T extends { readonly title: string }>(
  actions: readonly T[],
  from: vscode.Uri,
  access: Access,
): Promise<T[]> {
  const isUnshared = await Promise.all(
    actions.map(async ({ title }) => hasUnshared(await filesNamed(title, from), access)),
  );
  return actions.filter((_, index) => !isUnshared[index]);
}

/** Whether one of these files takes something from a file that is not shared, as far as its own text says. */
export async function importUnshared(files: readonly vscode.Uri[], access: Access): Promise<boolean> {
  const lines = new SourceLines(access);
  const imported = await Promise.all(files.map(async (uri) => filesImported(uri, await lines.text(uri))));
  return hasUnshared(imported.flat(), access);
}

/**
 * The texts of these files and of those from which they take something, be it by way of others; undefined where none of
 * them takes something from a file that is not shared.
 */
export async function textsNearUnshared(
  files: readonly vscode.Uri[],
  access: Access,
): Promise<string[] | undefined> {
  const lines = new SourceLines(access);
  const texts: string[] = [];
  const known = new Map(files.map((uri) => [uri.toString(), uri]));
  let isNear = false;
  for (let next = [...known.values()]; next.length > 0;) {
    const imported = await Promise.all(
      next.map(async (uri) => {
        const text = await lines.text(uri);
        texts.push(text);
        return filesImported(uri, text);
      }),
    );
    const { items, withheld } = await access.shared(imported.flat(), (uri) => uri);
    isNear ||= withheld > 0;
    const more = new Map(items.map((uri) => [uri.toString(), uri]));
    known.forEach((_, key) => more.delete(key));
    next = [...more.values()].slice(0, maxFollowed - known.size);
    next.forEach((uri) => known.set(uri.toString(), uri));
  }
  return isNear ? texts : undefined;
}

async function filesImported(uri: vscode.Uri, text: string): Promise<vscode.Uri[]> {
  const imports = text.match(/(?:from|import|require)\s*(?:\(\s*)?["'][^"'\n]+["']/g) ?? [];
  return isOfWorkspace(uri) ? filesNamed(imports.join('\n'), uri) : [];
}

async function hasUnshared(files: readonly vscode.Uri[], access: Access): Promise<boolean> {
  return (await access.shared(files, (uri) => uri)).withheld > 0;
}

/** Those that are there by a path, whatever their ending. */
async function filesCalled(path: string): Promise<vscode.Uri[]> {
  const bare = basename(path).replace(/\.[cm]?jsx?$/, ''); // as some servers name one whose source has another
  const entries = await readdir(dirname(path)).catch(() => []);
  return entries
    .filter((name) => name === basename(path) || name === bare || name.startsWith(`${bare}.`))
    .map((name) => vscode.Uri.file(resolve(dirname(path), name)));
}
