import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { isNotFound } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import { type Change, mustBeFile } from './changes.ts';
import type { ChangeSets } from './changeSets.ts';
import { patchOfAll } from './patches.ts';
import type { PatchedFile } from '../base/patch.ts';
import { foldersAround } from '../server/isAt.ts';
import { realPath } from '../server/realPath.ts';

/** Names in a message. */
const maxNamed = 5;

/** What agents have made of files, as it is on disk now, for `git apply` in the folder that the message names. */
export async function copyPatch(sets: ChangeSets, changes: readonly Change[]): Promise<void> {
  // Of several sessions in one file, what it was before the first that came to it: the list has the oldest session first.
  const oldestFirst = [...changes].sort((a, b) => a.snapshot.takenAt - b.snapshot.takenAt);
  const first = oldestFirst.filter(
    ({ snapshot }, index) =>
      index === oldestFirst.findIndex((other) => other.snapshot.path === snapshot.path),
  );
  const folders = first.map(({ snapshot }) =>
    vscode.workspace.getWorkspaceFolder(vscode.Uri.file(snapshot.path)),
  );
  const folder = folders.find((each) => each !== undefined);
  const isOutside = (_change: Change, index: number) => !folder || folders[index] !== folder;
  const outside = first.filter(isOutside).map(({ snapshot }) => snapshot.path);
  const inside = first.filter((change, index) => !isOutside(change, index));
  const opened = folder?.uri.fsPath ?? '';
  const root = folder && rootAbove(realPath(opened));
  const place = root === undefined ? '' : relative(root, realPath(opened));
  const { patch, leftOut } = await patchOfAll(
    new Map(
      inside.map((change) => {
        const name = join(place, relative(opened, change.snapshot.path)).replaceAll(sep, '/');
        return [name, () => fileOf(sets, change, name)];
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

/** The folder above that one whose work tree it is in: from there Git counts paths, and skips others without a word. */
function rootAbove(folder: string): string | undefined {
  const root = [folder, ...foldersAround(folder)].find((at) => existsSync(join(at, '.git')));
  return root === folder ? undefined : root;
}

/** @param name its path in the patch @throws when it cannot be read, or what it was is lost */
async function fileOf(sets: ChangeSets, { snapshot }: Change, name: string): Promise<PatchedFile> {
  const { path } = snapshot;
  const before = sets.before(snapshot);
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
