import { chmod, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isNotFound } from '../base/errors.ts';
import { mustBeFile } from './changes.ts';
import type { Entry } from './changeSet.ts';
import type { Editor, Unsaved } from './editor.ts';

/**
 * Gives the file back every byte that it had before the session's first edit. Where it is open, the editor's undo
 * brings back what was there.
 * @param before undefined: there was no file
 * @throws when it cannot be written; what is typed and not saved is then as it was
 */
export async function revertFile(editor: Editor, entry: Entry, before: Buffer | undefined): Promise<void> {
  const { path, mode } = entry.snapshot;
  const unsaved = before && editor.unsaved(path);
  if (unsaved) {
    await mustBeFile(path);
    await saveAs(entry, unsaved, before);
  }
  await writeBytes(editor, path, before, mode);
}

/**
 * Not for a file of which the editor has unsaved changes.
 * @param bytes undefined: there shall be no file @param mode permissions, as of `chmod`; undefined: those that it has
 * @throws when it cannot be written
 */
export async function writeBytes(
  editor: Editor,
  path: string,
  bytes: Buffer | undefined,
  mode: number | undefined,
): Promise<void> {
  await mustBeFile(path);
  if (!bytes) {
    if (!(await editor.delete(path))) {
      throw new Error(`${path} could not be deleted.`);
    }
    return;
  }
  // A clean document follows the file by itself, and can undo that. Only this is sure to bring back every byte:
  // the editor's own saving may format, and knows one encoding and one kind of line end.
  const now = await readFile(path).catch(() => undefined);
  if (!now?.equals(bytes)) {
    await mkdir(dirname(path), { recursive: true });
    const found = await stat(path).catch(() => undefined);
    if (found && (found.mode & 0o200) === 0) {
      await chmod(path, found.mode | 0o200);
    }
    await writeFile(path, bytes, mode === undefined ? {} : { mode });
    if (found && mode === undefined && (found.mode & 0o200) === 0) {
      await chmod(path, found.mode & 0o777);
    }
  }
  if (mode !== undefined && ((await stat(path)).mode & 0o777) !== mode) {
    await chmod(path, mode);
  }
}

/** The editor does not take over what is written to a file of which it has unsaved changes: it must save that itself. */
async function saveAs(entry: Entry, unsaved: Unsaved, bytes: Buffer): Promise<void> {
  const { path } = entry.snapshot;
  const found = await stat(path).catch((error: unknown) => {
    if (isNotFound(error)) {
      return undefined;
    }
    throw error;
  });
  if (!(await unsaved.replace(entry, bytes))) {
    throw new Error(`${path} has unsaved changes, which the editor does not give up.`);
  }
  if (found) {
    // Else it may be newer than what the editor has read. Only its owner may: else the editor decides.
    await utimes(path, found.atime, new Date(0)).catch(() => {});
  }
  if (!(await unsaved.save())) {
    await unsaved.putBack();
    if (found) {
      await utimes(path, found.atime, found.mtime).catch(() => {});
    }
    throw new Error(`${path} has unsaved changes, and could not be saved.`);
  }
}
