import * as vscode from 'vscode';

/** The part that our file systems share: they have files only, which come and go by our doing. */
export abstract class VirtualFiles implements vscode.FileSystemProvider {
  abstract readonly onDidChangeFile: vscode.Event<vscode.FileChangeEvent[]>;
  abstract stat(uri: vscode.Uri): vscode.FileStat;
  abstract readFile(uri: vscode.Uri): Uint8Array;
  abstract writeFile(uri: vscode.Uri, bytes: Uint8Array): void;

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    refuse();
  }

  delete(): void {
    refuse();
  }

  rename(): void {
    refuse();
  }
}

/** @throws what the editor shows */
export function refuse(): never {
  throw vscode.FileSystemError.NoPermissions('This side of the diff cannot be changed.');
}
