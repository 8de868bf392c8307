import { statSync, type Stats } from 'node:fs';
import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import type { Documents, OpenDocument } from '../tools/documents.ts';
import { findText } from '../tools/findText.ts';
import type { Formatter } from '../tools/jetBrains.ts';
import type { FileOpener, OpenedFile, OpenFileRequest } from '../tools/openFile.ts';
import { openFile } from '../editor/documents.ts';
import { candidates } from '../editor/paths.ts';
import { rawFileUri, rawUri } from '../editor/rawUri.ts';

/** VS Code hands extensions no larger documents. */
const maxDocumentBytes = 50 * 1024 * 1024;

/** Opens, finds, saves and formats files for the tools. */
export class Files implements FileOpener, Documents, Formatter {
  async open(request: OpenFileRequest): Promise<OpenedFile> {
    const untitled = findUntitled(request.path);
    if (untitled) {
      return this.openText(untitled, request);
    }
    const path = existingFile(request.path);
    if (path.endsWith('.ipynb')) {
      return { filePath: path, fileUrl: rawFileUri(path), found: await showNotebook(path, request) };
    }
    return this.openText(await readDocument(path), request);
  }

  find(path: string): OpenDocument | undefined {
    const document =
      findUntitled(path) ??
      candidates(path)
        .map((candidate) => openFile(vscode.Uri.file(candidate)))
        .find((found) => found !== undefined);
    return (
      document && {
        filePath: filePath(document),
        isDirty: document.isDirty,
        isUntitled: document.isUntitled,
        save: async () => document.save(),
      }
    );
  }

  async format(input: string): Promise<boolean | undefined> {
    return (await import('./formatFile.ts')).formatFile(input);
  }

  private async openText(document: vscode.TextDocument, request: OpenFileRequest): Promise<OpenedFile> {
    const { range, found } = findRange(document, request);
    await show(document.uri, request, range);
    const { languageId, lineCount, isDirty, isUntitled } = document;
    return {
      filePath: filePath(document),
      fileUrl: rawUri(document.uri),
      document: { languageId, lineCount, isDirty, isUntitled },
      found,
    };
  }
}

/** Goes to the first cell that has the text. */
async function showNotebook(path: string, request: OpenFileRequest): Promise<OpenedFile['found']> {
  const uri = vscode.Uri.file(path);
  const cells =
    request.startText === undefined ? [] : (await vscode.workspace.openNotebookDocument(uri)).getCells();
  for (const { document } of cells) {
    const { range, found } = findRange(document, request);
    if (range) {
      await show(document.uri, request, range);
      return found;
    }
  }
  await show(uri, request);
  return { startText: false, endText: false };
}

/** `background` is what makes a tab open behind the others; it is not part of the typed API. */
async function show(uri: vscode.Uri, request: OpenFileRequest, selection?: vscode.Range): Promise<void> {
  const { preview, makeFrontmost } = request;
  const options: vscode.TextDocumentShowOptions & { background: boolean } = {
    preview,
    preserveFocus: !makeFrontmost,
    background: !makeFrontmost,
    ...(selection && { selection }),
  };
  await vscode.commands.executeCommand('vscode.open', uri, options);
}

function findRange(
  document: vscode.TextDocument,
  { startText, endText, selectToEndOfLine }: OpenFileRequest,
): { range?: vscode.Range; found: { startText: boolean; endText: boolean } } {
  const text = document.getText();
  const start = startText === undefined ? undefined : findText(text, startText);
  if (!start) {
    return { found: { startText: false, endText: false } };
  }
  const end = endText === undefined ? undefined : findText(text, endText, start.end);
  const last = document.positionAt((end ?? start).end);
  const range = new vscode.Range(
    document.positionAt(start.start),
    selectToEndOfLine ? document.lineAt(last.line).range.end : last,
  );
  return { range, found: { startText: true, endText: end !== undefined } };
}

/** @throws Error that says why there is no such file */
function existingFile(input: string): string {
  const paths = candidates(input);
  const path = paths.find((candidate) => stat(candidate) !== undefined);
  if (path === undefined) {
    throw new Error(`File not found: ${paths[0] ?? input}`);
  }
  const stats = stat(path);
  if (!stats?.isFile()) {
    throw new Error(`Not a file${stats?.isDirectory() ? ' but a folder' : ''}: ${path}`);
  }
  if (stats.size > maxDocumentBytes) {
    throw new Error(
      `The file is too large for the editor (${megabytes(stats.size)}, at most ${megabytes(maxDocumentBytes)}): ${path}`,
    );
  }
  return path;
}

/** @throws Error that says why it cannot be shown as text */
export async function readDocument(path: string): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  } catch (error) {
    const reason = /binary/i.test(errorMessage(error)) ? 'it is binary' : errorMessage(error);
    throw new Error(`The file cannot be opened as text, ${reason}: ${path}`, { cause: error });
  }
}

/** By its name in the tab, as the tools tell it. */
function findUntitled(name: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ isUntitled, uri }) => isUntitled && uri.path === name);
}

function filePath({ isUntitled, uri }: Pick<vscode.TextDocument, 'isUntitled' | 'uri'>): string {
  return isUntitled ? uri.path : uri.fsPath;
}

function stat(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / (1024 * 1024))} MB`;
}
