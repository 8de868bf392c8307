import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import * as vscode from 'vscode';

/** What there is at the path of a proposal: `other` is a file that no text editor shows, for instance a binary one. */
export type Target = 'text file' | 'new file' | 'other';

/** Bytes in which VS Code looks for a zero to tell a binary file, and of the largest file that extensions get as text. */
const lookedAt = 512;
const maxBytes = 50 * 1024 * 1024;

/** @throws when there is something that is not a file */
export async function targetAt(path: string): Promise<Target> {
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
    return 'text file';
  }
  // The editor knows best, but takes about as long for it as for the diff. How a notebook is shown depends on its text.
  try {
    await vscode.workspace.openTextDocument(uri);
    return 'text file';
  } catch {
    return 'other'; // a binary file, one that is too large, one that may not be read
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
