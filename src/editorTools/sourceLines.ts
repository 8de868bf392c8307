import { readFile, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { isSame } from '../editor/documents.ts';
import type { Access } from './access.ts';
import { type Place, shownLine } from './answers.ts';
import { onOneLine } from './onOneLine.ts';

/** Of a file that is read for the sake of a line, in bytes. */
const maxFile = 2 * 1024 * 1024;

/**
 * Lines of files as the editor has them, else as they are on disk: a language server would be told of each document
 * that was opened for that. For one answer.
 */
export class SourceLines {
  private readonly files = new Map<string, vscode.TextDocument | Promise<readonly string[]>>();

  constructor(private readonly access: Access) {}

  /** Of a file that is shared. @param position 0-based */
  async place(uri: vscode.Uri, { line, character }: vscode.Position): Promise<Place> {
    const text = await this.line(uri, line);
    return {
      path: pathOf(uri),
      line: line + 1,
      column: character + 1,
      ...(text !== undefined && { text: shownLine(text) }),
    };
  }

  /** Undefined where there is none, or none that may be read. @param line 0-based */
  async line(uri: vscode.Uri, line: number): Promise<string | undefined> {
    const file = this.file(uri);
    if ('lineAt' in file) {
      return line < file.lineCount ? file.lineAt(line).text : undefined;
    }
    return (await file)[line];
  }

  /** All of a file that is shared; empty where it may not be read. */
  async text(uri: vscode.Uri): Promise<string> {
    const file = this.file(uri);
    return 'lineAt' in file ? file.getText() : (await file).join('\n');
  }

  private file(uri: vscode.Uri): vscode.TextDocument | Promise<readonly string[]> {
    const key = uri.toString();
    const file =
      this.files.get(key) ??
      vscode.workspace.textDocuments.find((each) => isSame(each.uri, uri)) ??
      this.read(uri);
    this.files.set(key, file);
    return file;
  }

  private async read(uri: vscode.Uri): Promise<readonly string[]> {
    try {
      if (!(await this.access.isInside(uri))) {
        return []; // a language server may name any file of this machine
      }
      const found = await stat(uri.fsPath);
      return found.isFile() && found.size <= maxFile
        ? (await readFile(uri.fsPath, 'utf8')).split(/\r\n?|\n/)
        : [];
    } catch {
      return []; // deleted meanwhile
    }
  }
}

/** The path of a file, the name of an untitled document. */
export function pathOf(uri: vscode.Uri): string {
  return uri.scheme === 'untitled' ? uri.path : uri.fsPath;
}

/** How a file is called in a line of an answer: relative to the folder of the window, if it has just one. */
export function shownName(path: string): string {
  const isShort = vscode.workspace.workspaceFolders?.length === 1;
  return onOneLine(isShort ? vscode.workspace.asRelativePath(path, false) : path, 1_000);
}

/** `shownName` for one answer, in which the same files come often: the editor looks for the folder of each anew. */
export function shownNames(): (path: string) => string {
  const names = new Map<string, string>();
  return (path) => {
    const name = names.get(path) ?? shownName(path);
    names.set(path, name);
    return name;
  };
}
