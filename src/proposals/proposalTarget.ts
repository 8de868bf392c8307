import * as vscode from 'vscode';

/** What there is at the path of a proposal: `other` is a file that no text editor shows, for instance a binary one. */
export type Target = 'text file' | 'new file' | 'other';

/** @throws when there is something that is not a file */
export async function targetAt(path: string): Promise<Target> {
  const uri = vscode.Uri.file(path);
  let type: vscode.FileType;
  try {
    ({ type } = await vscode.workspace.fs.stat(uri));
  } catch {
    return 'new file';
  }
  if ((type & vscode.FileType.File) === 0) {
    // To read a pipe would take one of the editor's few file threads for good.
    throw new Error(`Not a file: ${path}`);
  }
  try {
    await vscode.workspace.openTextDocument(uri);
    return 'text file';
  } catch {
    return 'other'; // a binary file, one that is too large, one that may not be read
  }
}
