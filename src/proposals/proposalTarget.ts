import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { withLf } from '../base/text.ts';
import { openFile } from '../editor/documents.ts';

/** What there is at the path of a proposal: `other` is a file that no text editor shows, for instance a binary one. */
export type Target = 'text file' | 'new file' | 'other';

/** Bytes in which VS Code looks for a zero to tell a binary file, and of the largest file that extensions get as text. */
const lookedAt = 512;
const maxBytes = 50 * 1024 * 1024;

/**
 * @returns `as proposed` for a file that is so already: there is nothing to decide
 * @throws when there is something that is not a file
 */
export async function targetAt(path: string, proposed: string): Promise<Target | 'as proposed'> {
  const uri = vscode.Uri.file(path);
  let stat: vscode.FileStat;
  try {
    stat = await vscode.workspace.fs.stat(uri);
  } catch {
    return 'new file';
  }
  if ((stat.type & vscode.FileType.File) === 0) {
    // To read a pipe would take one of the editor's few file threads for good.
    throw new Error(`Not a file: ${path}`);
  }
  if (stat.size < maxBytes && !path.endsWith('.ipynb') && (await beginsAsText(path))) {
    return (await isAsProposed(uri, stat.size, proposed)) ? 'as proposed' : 'text file';
  }
  // The editor knows best, but takes about as long for it as for the diff. How a notebook is shown depends on its text.
  try {
    await vscode.workspace.openTextDocument(uri);
    return 'text file';
  } catch {
    return 'other'; // a binary file, one that is too large, one that may not be read
  }
}

/** On disk, but for its line ends, and in the editor. Most files are told from what is proposed by their size. */
async function isAsProposed(uri: vscode.Uri, size: number, text: string): Promise<boolean> {
  const more = size - Buffer.byteLength(text);
  const mayBe = more === 0 || (more > 0 && more === text.split('\n').length - 1);
  try {
    return mayBe && withLf(await readFile(uri.fsPath, 'utf8')) === withLf(text) && !openFile(uri)?.isDirty;
  } catch {
    return false;
  }
}

async function beginsAsText(path: string): Promise<boolean> {
  try {
    const { O_RDONLY, O_NONBLOCK } = constants; // Windows does not have the second
    const file = await open(path, O_RDONLY | (O_NONBLOCK ?? 0));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(lookedAt), 0, lookedAt, 0);
      return !buffer.subarray(0, bytesRead).includes(0);
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
