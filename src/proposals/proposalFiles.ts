import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { bom } from '../base/text.ts';
import { proposalScheme } from '../editor/schemes.ts';
import { refuse, VirtualFiles } from '../editor/virtualFiles.ts';

/** The query of the URI of an empty file that is always there. */
const nothing = 'nothing';

interface File {
  bytes: Uint8Array;
  /** Of the last change, in ms since the epoch. */
  time: number;
  /** Of an earlier extension host. */
  isOrphan?: boolean;
}

/** The file system behind the proposed side of each diff: in memory, one URI per proposal, writable. */
export class ProposalFiles extends VirtualFiles {
  private readonly files = new Map<string, File>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();

  readonly onDidChangeFile = this.changed.event;

  /** @param path an absolute path: its name and extension give the tab its icon and language */
  create(path: string, text: string): vscode.Uri {
    const uri = sideOf(path, randomUUID());
    this.files.set(uri.toString(), {
      bytes: encoded(text, uri),
      time: Date.now(),
    });
    return uri;
  }

  /** The original of a file that does not exist. */
  empty(path: string): vscode.Uri {
    return sideOf(path, nothing);
  }

  /**
   * Takes in a file of an earlier extension host, so that its tab can be saved and closed. It is older than all
   * that the editor may have kept of it: it refuses to save over something newer.
   * @returns undefined for one of this extension host
   */
  adopt(uri: vscode.Uri): File | undefined {
    return this.files.has(uri.toString()) ? this.orphan(uri) : this.addOrphan(uri);
  }

  /** One that was taken in. */
  orphan(uri: vscode.Uri): File | undefined {
    const known = this.files.get(uri.toString());
    return known?.isOrphan ? known : undefined;
  }

  /** What is written to it from now on is of nobody, as if an earlier extension host had left it. */
  disown(uri: vscode.Uri): void {
    if (!this.orphan(uri)) {
      this.addOrphan(uri);
    }
  }

  forget(uri: vscode.Uri): void {
    this.files.delete(uri.toString());
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, time } = this.file(uri);
    return { type: vscode.FileType.File, ctime: time, mtime: time, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.file(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    if (uri.query === nothing) {
      refuse();
    }
    // Auto-save may be there first, with what the editor has brought back.
    const file = this.files.get(uri.toString()) ?? this.addOrphan(uri);
    file.bytes = bytes;
    file.time = file.isOrphan ? 0 : Date.now();
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  /** The folders of an orphan, which the editor makes before it saves one that it does not find. */
  override createDirectory(): void {}

  /** @throws when it is forgotten */
  file(uri: vscode.Uri): File {
    if (uri.query === nothing) {
      return emptyFile();
    }
    const file = this.files.get(uri.toString());
    if (!file) {
      throw vscode.FileSystemError.FileNotFound();
    }
    return file;
  }

  private addOrphan(uri: vscode.Uri): File {
    const file = { ...emptyFile(), isOrphan: true };
    this.files.set(uri.toString(), file);
    return file;
  }
}

export function textOf({ bytes }: File): string {
  const isWide = Buffer.from(bytes.subarray(0, 2)).equals(Buffer.from(bom, wide));
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes); // which takes the byte order mark off
}

function emptyFile(): File {
  return { bytes: new Uint8Array(), time: 0 };
}

function sideOf(path: string, query: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: proposalScheme, authority: '', query });
}

const wide = 'utf16le';

/** A text with NUL characters is not shown, or shown as another one, where the editor has to guess whether it is a text. */
function encoded(text: string, uri: vscode.Uri): Uint8Array {
  return text.includes('\0') ? Buffer.from(bom + text, wide) : Buffer.from(encodingMark(uri) + text);
}

/** A byte order mark where the editor's settings would have it read our UTF-8 as something else. */
function encodingMark(uri: vscode.Uri): string {
  const files = vscode.workspace.getConfiguration('files', uri);
  const isUtf8 =
    files.get('encoding') === 'utf8' &&
    !files.get('autoGuessEncoding') &&
    !files.inspect('encoding')?.languageIds?.length;
  return isUtf8 ? '' : bom;
}
