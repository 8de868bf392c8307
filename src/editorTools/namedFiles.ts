import { readdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import type { Access } from './access.ts';
import { isOfWorkspace } from './declaredIn.ts';
import { SourceLines } from './sourceLines.ts';

/** Whether words, as in `Add import from "./keys"`, name a file that is not shared, with or without its ending. */
async function nameUnshared(words: string, from: vscode.Uri, access: Access): Promise<boolean> {
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const named = [...words.matchAll(/["'`]([^"'`\n]+)["'`]/g)].map(([, path = '']) => path);
  for (const path of new Set(named.filter((each) => /[\\/.]/.test(each)))) {
    for (const folder of path.startsWith('.') ? [dirname(from.fsPath)] : roots) {
      const files = await filesCalled(resolve(folder, path));
      if ((await access.shared(files, (uri) => uri)).withheld > 0) {
        return true;
      }
    }
  }
  return false;
}

/** Those of the actions for a file whose title names no file that is not shared. */
export async function withoutUnshared<T extends { readonly title: string }>(
  actions: readonly T[],
  from: vscode.Uri,
  access: Access,
): Promise<T[]> {
  const isUnshared = await Promise.all(actions.map(({ title }) => nameUnshared(title, from, access)));
  return actions.filter((_, index) => !isUnshared[index]);
}

/** Whether one of these files takes something from a file that is not shared, as far as its own text says. */
export async function importUnshared(files: readonly vscode.Uri[], access: Access): Promise<boolean> {
  const lines = new SourceLines(access);
  for (const uri of files.filter(isOfWorkspace)) {
    const imports = (await lines.text(uri)).match(/(?:from|import|require\s*\()\s*["'][^"'\n]+["']/g) ?? [];
    if (await nameUnshared(imports.join('\n'), uri, access)) {
      return true;
    }
  }
  return false;
}

/** Those that are there by a path, whatever their ending. */
async function filesCalled(path: string): Promise<vscode.Uri[]> {
  const bare = basename(path).replace(/\.[cm]?jsx?$/, ''); // as some servers name one whose source has another
  const entries = await readdir(dirname(path)).catch(() => []);
  return entries
    .filter((name) => name === basename(path) || name === bare || name.startsWith(`${bare}.`))
    .map((name) => vscode.Uri.file(resolve(dirname(path), name)));
}
