/** The values of the `vscode` API that proposals use. */
export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query: string,
    readonly authority = '',
  ) {}

  static file(path: string): Uri {
    return new Uri('file', path, '');
  }

  static parse(text: string): Uri {
    const [, scheme = '', path = '', query = ''] = /^([^:]+):(?:\/\/)?([^?]*)\??(.*)$/.exec(text) ?? [];
    return new Uri(scheme, path, query);
  }

  get fsPath(): string {
    return this.path;
  }

  with(parts: { scheme?: string; query?: string }): Uri {
    return new Uri(parts.scheme ?? this.scheme, this.path, parts.query ?? this.query);
  }

  toString(): string {
    return `${this.scheme}:${this.scheme === 'file' ? '//' : ''}${this.path}${this.query && `?${this.query}`}`;
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...ends: [Position, Position] | [number, number, number, number]) {
    const [a, b, c, d] = ends;
    if (typeof a === 'number' && typeof b === 'number') {
      this.start = new Position(a, b);
      this.end = new Position(c ?? 0, d ?? 0);
    } else {
      [this.start, this.end] = ends as [Position, Position];
    }
  }
}

export class WorkspaceEdit {
  readonly edits: { key: string; range: Range; text: string }[] = [];

  replace(uri: Uri, range: Range, text: string): void {
    this.edits.push({ key: uri.toString(), range, text });
  }
}

export class Disposable {
  constructor(readonly dispose: () => void) {}

  static from(...disposables: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => disposables.forEach((each) => each.dispose()));
  }
}

export class EventEmitter<T> {
  private listeners: ((event: T) => void)[] = [];

  readonly event = (listener: (event: T) => void): Disposable => {
    this.listeners = [...this.listeners, listener];
    return new Disposable(() => {
      this.listeners = this.listeners.filter((other) => other !== listener);
    });
  };

  fire(event: T): void {
    this.listeners.forEach((listener) => listener(event));
  }

  dispose(): void {
    this.listeners = [];
  }
}

export class FileSystemError extends Error {
  static FileNotFound(): FileSystemError {
    return new FileSystemError('not found');
  }

  static NoPermissions(message: string): FileSystemError {
    return new FileSystemError(message);
  }
}

export class TabInputText {
  constructor(readonly uri: Uri) {}
}

export class TabInputTextDiff {
  constructor(
    readonly original: Uri,
    readonly modified: Uri,
  ) {}
}

/** What no tab of the simulated window shows. */
class Absent {}
export class TabInputNotebook extends Absent {}
export class TabInputNotebookDiff extends Absent {}
export class TabInputCustom extends Absent {}
export class TabInputTerminal extends Absent {}

export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 };
export const FileChangeType = { Changed: 1, Created: 2, Deleted: 3 };
export const TextDocumentSaveReason = { Manual: 1, AfterDelay: 2, FocusOut: 3 };
export const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 };
export const ViewColumn = { Active: -1, Beside: -2, One: 1 };
