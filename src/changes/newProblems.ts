import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import type { ChangeSets } from './changeSets.ts';
import { openDocument } from '../editor/documents.ts';

/** ms after which the language server of a document that has been opened has reported on it. */
const reportTime = 10_000;
/** ms that problems have to settle after an edit. */
const settleTime = 1_000;

/** Errors and warnings that came with an agent's edits: those that a file has now and had not before the first. */
export class NewProblems implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<void>());
  private readonly openedAt = new WeakMap<vscode.TextDocument, number>();
  /** What was known before, by path: how many there were of each. Absent where nobody had looked at the file. */
  private readonly before = new Map<string, ReadonlyMap<string, number>>();

  readonly onDidChange = this.changed.event;

  constructor(sets: ChangeSets) {
    const update = this.store.add(new Throttle(settleTime, () => this.changed.fire()));
    this.store.add(
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some(({ fsPath }) => this.before.has(fsPath))) {
          update.schedule();
        }
      }),
    );
    this.store.add(
      vscode.workspace.onDidOpenTextDocument((document) => this.openedAt.set(document, Date.now())),
    );
    this.store.add(
      sets.onDidChange(() => {
        for (const path of [...this.before.keys()]) {
          if (sets.ofPath(path).length === 0) {
            this.before.delete(path);
          }
        }
      }),
    );
  }

  /** Remembers the problems of a file that is about to be edited, if they are known and it is the first time. */
  willEdit(uri: vscode.Uri, isNew: boolean): void {
    const diagnostics = problemsOf(uri);
    if (!this.before.has(uri.fsPath) && (isNew || diagnostics.length > 0 || this.isReportedOn(uri))) {
      this.before.set(uri.fsPath, countByKey(diagnostics));
    }
  }

  of(path: string): vscode.Diagnostic[] {
    const before = this.before.get(path);
    if (!before) {
      return [];
    }
    const left = new Map(before);
    return problemsOf(vscode.Uri.file(path)).filter((diagnostic) => {
      const count = left.get(key(diagnostic)) ?? 0;
      left.set(key(diagnostic), count - 1);
      return count <= 0;
    });
  }

  dispose(): void {
    this.store.dispose();
  }

  private isReportedOn(uri: vscode.Uri): boolean {
    const document = openDocument(uri);
    return document !== undefined && Date.now() - (this.openedAt.get(document) ?? 0) > reportTime;
  }
}

function problemsOf(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning);
}

function countByKey(diagnostics: readonly vscode.Diagnostic[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const diagnostic of diagnostics) {
    counts.set(key(diagnostic), (counts.get(key(diagnostic)) ?? 0) + 1);
  }
  return counts;
}

/** Without the place, which moves with the lines above it. */
function key({ severity, source, message }: vscode.Diagnostic): string {
  return `${severity} ${source} ${message}`;
}
