import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import type { Diagnostic, FileDiagnostics } from '../protocol/ide.ts';
import type { DiagnosticsSource, FreshDiagnostics } from '../tools/getDiagnostics.ts';
import { cellOf, fileUriOf } from '../editor/cells.ts';
import { openNotebook } from '../editor/documents.ts';
import { fileUris, isRegularFile } from '../editor/paths.ts';
import { rawFileUri, rawUri } from '../editor/rawUri.ts';
import type { Sharing } from '../sharing/sharing.ts';
import { toRange } from '../editor/toRange.ts';
import { realNames } from '../editor/workspaceFolders.ts';

const severities = ['Error', 'Warning', 'Information', 'Hint'] as const;
const tagNames = {
  [vscode.DiagnosticTag.Unnecessary]: 'Unnecessary',
  [vscode.DiagnosticTag.Deprecated]: 'Deprecated',
} as const;

/** The problems of the files that are shared, those of cells under their notebook. */
export class Diagnostics implements DiagnosticsSource {
  constructor(private readonly sharing: Sharing) {}

  get activeUri(): string | undefined {
    const active = vscode.window.activeTextEditor?.document.uri;
    const uri = active && fileUriOf(active);
    return uri && this.isShared(uri) ? rawFileUri(uri.fsPath) : undefined;
  }

  all(byEveryName = false): FileDiagnostics[] {
    const otherName = byEveryName ? realNames() : undefined;
    const byFile = new Map<string, Diagnostic[]>();
    for (const [uri, diagnostics] of vscode.languages.getDiagnostics()) {
      const file = fileUriOf(uri);
      if (diagnostics.length > 0 && this.isShared(file)) {
        const found = this.toDiagnostics(uri, diagnostics);
        for (const path of new Set([file.fsPath, otherName?.(file.fsPath) ?? file.fsPath])) {
          const key = rawFileUri(path);
          byFile.set(key, [...(byFile.get(key) ?? []), ...found]);
        }
      }
    }
    return [...byFile].map(([uri, diagnostics]) => ({ uri, diagnostics }));
  }

  of(uri: string): FileDiagnostics {
    const shared = fileUris(uri).filter((file) => this.isShared(file));
    const found = shared.map((file) => this.diagnosticsOf(file));
    return { uri, diagnostics: found.find(({ length }) => length > 0) ?? [] };
  }

  watch(uri: string): FreshDiagnostics {
    const [file] = fileUris(uri);
    const key = file?.toString();
    const arrived = new Deferred<void>();
    let hasChanged = false;
    const subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        hasChanged ||= document.uri.toString() === key;
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (hasChanged && uris.some((changed) => changed.toString() === key)) {
          arrived.settle();
        }
      }),
    );
    // To read a pipe would take one of the editor's few file threads for good.
    if (file && isRegularFile(file.fsPath)) {
      vscode.workspace.openTextDocument(file).then(undefined, () => {
        // A new file, or none that can be shown as text.
      });
    }
    return { arrived: arrived.promise, dispose: () => void subscriptions.dispose() };
  }

  /** Fires with raw `file://` URIs. */
  readonly onDidChange = (listener: (uris: readonly string[]) => void): vscode.Disposable =>
    vscode.languages.onDidChangeDiagnostics(({ uris }) =>
      listener(
        uris
          .map(fileUriOf)
          .filter((uri) => this.isShared(uri))
          .map((uri) => rawFileUri(uri.fsPath)),
      ),
    );

  private isShared(uri: vscode.Uri): boolean {
    return uri.scheme === 'file' && this.sharing.allows(uri);
  }

  /** Those of the file itself and, if it is an open notebook, of its cells. */
  private diagnosticsOf(file: vscode.Uri): Diagnostic[] {
    const cells = openNotebook(file)?.getCells() ?? [];
    return [file, ...cells.map(({ document }) => document.uri)].flatMap((uri) =>
      this.toDiagnostics(uri, vscode.languages.getDiagnostics(uri)),
    );
  }

  /** The CLI tells the model message and line alone: the message of a cell's problem names the cell. */
  private toDiagnostics(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): Diagnostic[] {
    const cellIndex = cellOf(uri)?.index;
    const found = diagnostics.map((diagnostic) => this.toDiagnostic(diagnostic));
    return cellIndex === undefined
      ? found
      : found.map(({ message, ...rest }) => ({
          message: `Cell ${cellIndex + 1}: ${message}`,
          ...rest,
          cellIndex,
        }));
  }

  private toDiagnostic(diagnostic: vscode.Diagnostic): Diagnostic {
    const { message, severity, source, code, tags, relatedInformation } = diagnostic;
    const related = relatedInformation?.filter(({ location }) => this.sharing.allows(location.uri));
    const { value, target } = typeof code === 'object' ? code : { value: code };
    return {
      message,
      severity: severities[severity],
      range: toRange(diagnostic.range),
      ...(source !== undefined && { source }),
      ...(value !== undefined && { code: String(value) }),
      ...(target && { codeDescription: { href: target.toString() } }),
      ...(tags?.length && { tags: tags.map((tag) => tagNames[tag]) }),
      ...(related?.length && {
        relatedInformation: related.map(({ message, location }) => ({
          message,
          location: { uri: rawUri(location.uri), range: toRange(location.range) },
        })),
      }),
    };
  }
}
