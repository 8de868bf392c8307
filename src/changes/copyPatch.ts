import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { isNotFound } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import { type Change, mustBeFile } from './changes.ts';
import { type ChangeSets, realPathOf } from './changeSets.ts';
import { patchOfAll } from './patches.ts';
import type { PatchedFile } from '../base/patch.ts';
import { foldersAround, isAt } from '../server/isAt.ts';
import { realPath } from '../server/realPath.ts';

/** Names in a message. */
const maxNamed = 5;

/** What agents have made of files, as it is on disk now, for `git apply` in the folder that the message names. */
export async function copyPatch(sets: ChangeSets, changes: readonly Change[]): Promise<void> {
  const files = changes.map((change) => ({ change, real: realPathOf(change.snapshot.path) }));
  // Of several sessions in one file, what it was before the first that came to it: the list has the oldest session first.
  files.sort((a, b) => a.change.snapshot.takenAt - b.change.snapshot.takenAt);
  const first = files.filter(({ real }, index) => index === files.findIndex((other) => other.real === real));
  const opened = realFolders();
  const folders = first.map(({ real }) => opened.find((each) => isAt(real, each.real)));
  const folder = folders.find((each) => each !== undefined);
  const isOutside = (_file: unknown, index: number) => !folder || folders[index] !== folder;
  const outside = first.filter(isOutside).map(({ change }) => change.snapshot.path);
  const inside = first.filter((file, index) => !isOutside(file, index));
  const root = folder && rootAbove(folder.real);
  const place = root ?? folder?.real ?? '';
  const nameOf = (path: string) => relative(place, path).replaceAll(sep, '/');
  const { patch, leftOut } = await patchOfAll(
    new Map(
      inside.map(({ change, real }) => {
        const { from } = change.snapshot;
        const isRenamed = from !== undefined && from !== real && isAt(from, place) && !existsSync(from);
        const renamedFrom = isRenamed ? nameOf(from) : undefined;
        const read = async () => ({ ...(await fileOf(sets, change, nameOf(real))), renamedFrom });
        return [nameOf(real), read];
      }),
    ),
  );
  const left = [...outside, ...leftOut];
  const note =
    left.length === 0
      ? ''
      : ` Left out, as they are in another folder, no text, too different or not to be read: ${left.slice(0, maxNamed).join(', ')}${left.length > maxNamed ? ', …' : ''}.`;
  if (patch === '') {
    void vscode.window.showWarningMessage(printable(`There is nothing to copy.${note}`, 1_000));
    return;
  }
  await vscode.env.clipboard.writeText(patch);
  const count = counted(inside.length - leftOut.length, 'file');
  void vscode.window.showInformationMessage(
    printable(`Copied a patch of ${count}, for git apply in ${root ?? folder?.name}.${note}`, 1_000),
  );
}

/** The folders of the window, without links; one that is in another comes before that. */
function realFolders(): { name: string; real: string }[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders
    .map(({ name, uri }) => ({ name, real: realPath(uri.fsPath) }))
    .sort((a, b) => b.real.length - a.real.length);
}

/** The folder above that one whose work tree it is in: from there Git counts paths, and skips others without a word. */
function rootAbove(folder: string): string | undefined {
  const root = [folder, ...foldersAround(folder)].find((at) => existsSync(join(at, '.git')));
  return root === folder ? undefined : root;
}

/** @param name its path in the patch @throws when it cannot be read, or what it was is lost */
async function fileOf(sets: ChangeSets, { snapshot }: Change, name: string): Promise<PatchedFile> {
  const { path } = snapshot;
  const before = sets.before(snapshot);
  if (snapshot.real !== undefined && realPathOf(path) !== snapshot.real) {
    throw new Error('a link leads to another file now');
  }
  await mustBeFile(path); // a pipe would never be read to its end
  try {
    const [now, { mode }] = await Promise.all([readFile(path), stat(path)]);
    return { path: name, before, now, isExecutable: (mode & 0o100) !== 0 };
  } catch (error) {
    if (isNotFound(error)) {
      return { path: name, before, now: undefined };
    }
    throw error;
  }
}
