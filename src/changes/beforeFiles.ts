import * as vscode from 'vscode';
import { type ChangeSet, type Entry, type FileState, firstTaken, type Snapshot } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import { openDocument } from '../editor/documents.ts';
import { beforeScheme } from '../editor/schemes.ts';
import { refuse, VirtualFiles } from '../editor/virtualFiles.ts';

/**
 * The same as long as the file is listed, for diffs that stay open while parts of it are decided; its path gives name, icon and
 * language.
 */
export function diffUri({ id }: ChangeSet, snapshot: Snapshot): vscode.Uri {
  const { path } = snapshot;
  return vscode.Uri.file(path).with({ scheme: beforeScheme, query: `${id}.${firstTaken(snapshot)}` });
}

/** Decoded by the editor, as the file itself is. */
export async function documentBefore({ snapshot }: Entry): Promise<vscode.TextDocument> {
  return vscode.workspace.openTextDocument(pastUri(snapshot.path, snapshot));
}

/** What a file was at one moment. By its text, since the editor keeps what it has read of a URI. */
export function pastUri(path: string, { hash }: Pick<FileState, 'hash'>): vscode.Uri {
  return hash === undefined
    ? nothingUri(path)
    : vscode.Uri.file(path).with({ scheme: beforeScheme, query: past + hash });
}

/** The side of a diff where there is no file. */
export function nothingUri(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: beforeScheme, query: nothing });
}

const nothing = 'nothing';
const past = 'past.';

/** Whether it is a side of a diff that stays as it is, whatever is listed. */
export function isPast({ query }: vscode.Uri): boolean {
  return query === nothing || query.startsWith(past);
}

/** Files as they were before an edit, for diffs. As files and not as texts, so that the editor decodes both sides alike. */
export class BeforeFiles extends VirtualFiles implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable;
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  /** The hash of what the editor has read, by URI. */
  private readonly read = new Map<string, string | undefined>();

  readonly onDidChangeFile = this.changed.event;

  constructor(private readonly sets: ChangeSets) {
    super();
    const options = { isReadonly: true, isCaseSensitive: true };
    this.subscriptions = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(beforeScheme, this, options),
      sets.onDidChange(() => this.tell()),
      this.changed,
    );
  }

  has(uri: vscode.Uri): boolean {
    const hash = hashIn(uri);
    return hash === undefined ? uri.query === nothing || this.find(uri) !== undefined : this.sets.has(hash);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const time = hashIn(uri) === undefined ? timeOf(this.snapshot(uri)) : 0;
    return { type: vscode.FileType.File, ctime: time, mtime: time, size: this.readFile(uri).length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const hash = hashIn(uri);
    if (hash !== undefined) {
      if (!this.has(uri)) {
        throw vscode.FileSystemError.FileNotFound('This is no longer in the history.');
      }
      return this.sets.textOf(uri.fsPath, { hash }) ?? new Uint8Array();
    }
    const snapshot = this.snapshot(uri);
    if (snapshot) {
      this.read.set(uri.toString(), snapshot.hash);
    }
    return (snapshot && this.sets.before(snapshot)) ?? new Uint8Array();
  }

  writeFile(): void {
    refuse();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** Of those that were replaced: a part was kept, or waits again. */
  private tell(): void {
    for (const [key, hash] of this.read) {
      const uri = vscode.Uri.parse(key);
      const now = this.find(uri);
      if (now && now.hash !== hash) {
        this.read.delete(key);
        this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
      } else if (!now && !openDocument(uri)) {
        this.read.delete(key); // one that is open may be listed again, with another text
      }
    }
  }

  /** Undefined for the empty side of a diff. */
  private snapshot(uri: vscode.Uri): Snapshot | undefined {
    const snapshot = this.find(uri);
    if (!snapshot && uri.query !== nothing) {
      throw vscode.FileSystemError.FileNotFound('This change is no longer listed.');
    }
    return snapshot;
  }

  private find(uri: vscode.Uri): Snapshot | undefined {
    const [id, takenAt] = uri.query.split('.');
    const set = this.sets.all.find((candidate) => candidate.id === id);
    const snapshot = set?.snapshots.get(uri.with({ scheme: 'file', query: '' }).fsPath);
    return snapshot && String(firstTaken(snapshot)) === takenAt ? snapshot : undefined;
  }
}

/** Another one for another text: else the editor would not read it anew. */
function timeOf(snapshot: Snapshot | undefined): number {
  return (snapshot?.takenAt ?? 0) + Number.parseInt(snapshot?.hash?.slice(0, 6) ?? '0', 16);
}

function hashIn({ query }: vscode.Uri): string | undefined {
  return query.startsWith(past) ? query.slice(past.length) : undefined;
}
