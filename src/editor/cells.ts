import * as vscode from 'vscode';
import { isSame } from './documents.ts';

/** The cell whose text a document is; undefined for all other documents. */
export function cellOf(uri: vscode.Uri): vscode.NotebookCell | undefined {
  if (uri.scheme !== 'vscode-notebook-cell') {
    return undefined;
  }
  return vscode.workspace.notebookDocuments
    .flatMap((notebook) => notebook.getCells())
    .find(({ document }) => isSame(document.uri, uri));
}

/** The CLI's word for a cell, where it reads a notebook (2.1.330): its id, or its place in a file without ids. */
export function cellId({ metadata, index }: vscode.NotebookCell): string {
  const { id } = metadata as { id?: unknown };
  return typeof id === 'string' && /^[\w-]+$/.test(id) ? id : `cell-${index}`;
}

/** What a document is saved as: the notebook of a cell, else the document itself. */
export function ownerOf(document: vscode.TextDocument): vscode.NotebookDocument | vscode.TextDocument {
  return cellOf(document.uri)?.notebook ?? document;
}

/** The URI of the file that a document's URI is a part of. */
export function fileUriOf(uri: vscode.Uri): vscode.Uri {
  return cellOf(uri)?.notebook.uri ?? uri;
}
