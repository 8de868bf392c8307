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
import type { TypeScript } from './typescript.ts';

const severities = ['Error', 'Warning', 'Information', 'Hint'] as const;
const tagNames = {
  [vscode.DiagnosticTag.Unnecessary]: 'Unnecessary',
  [vscode.DiagnosticTag.Deprecated]: 'Deprecated',
} as const;

/** The problems of the files that are shared, those of cells under their notebook. */
export class Diagnostics implements DiagnosticsSource {
  /** Loaded with the first session: nobody else asks. */
  private typescript: TypeScript | undefined;

  constructor(private readonly sharing: Sharing) {}

  get activeUri(): string | undefined {
    const active = vscode.window.activeTextEditor?.document.uri;
    const uri = active && fileUriOf(active);
    return uri && this.isShared(uri) ? rawFileUri(uri.fsPath) : undefined;
  }

  all(byEveryName = false): FileDiagnostics[] {
    const otherName = byEveryName ? realNames() : undefined;
    const byFile = new Map<string, Diagnostic[]>();
    const reported = vscode.languages.getDiagnostics();
    const names = new Set(reported.map(([uri]) => uri.toString()));
    const others = this.askedFiles.filter((uri) => !names.has(uri.toString()));
    for (const [uri, diagnostics] of [...reported, ...others.map((uri) => [uri, []] as const)]) {
      const file = fileUriOf(uri);
      const now = withAsked(diagnostics, this.typescript?.of(uri));
      if (now.length > 0 && this.isShared(file)) {
        const found = this.toDiagnostics(uri, now);
        for (const path of new Set([file.fsPath, otherName?.(file.fsPath) ?? file.fsPath])) {
          const key = rawFileUri(path);
          byFile.set(key, [...(byFile.get(key) ?? []), ...found]);
        }
      }
    }
    return [...byFile].map(([uri, diagnostics]) => ({ uri, diagnostics }));
  }

  of(uri: string): FileDiagnostics {
    const found = this.sharedFiles(uri).map((file) => this.diagnosticsOf(file));
    return { uri, diagnostics: found.find(({ length }) => length > 0) ?? [] };
  }

  async learn(uri?: string): Promise<void> {
    const files = uri === undefined ? this.askedFiles : this.sharedFiles(uri);
    await this.ask(files, () => false);
  }

  /** Before a client writes for the first time: starts the server of the folders' projects. */
  async warm(): Promise<void> {
    const configs = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
      ['tsconfig.json', 'jsconfig.json'].map((name) => vscode.Uri.joinPath(uri, name)),
    );
    const typescript = await this.loadTypeScript();
    await typescript.warm(configs.filter((config) => this.isShared(config)));
  }

  watch(uri: string): FreshDiagnostics {
    const files = this.sharedFiles(uri);
    const file = files.find(({ fsPath }) => isRegularFile(fsPath)) ?? files[0];
    const key = file?.toString();
    const arrived = new Deferred<void>();
    let hasChanged = false;
    let isOver = false;
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
    return {
      before: this.before(uri, file),
      arrived: async () => {
        if (!file || !(await this.askTypeScript(file, true))) {
          return arrived.promise;
        }
        // What was written may have broken the others that the agent has at hand, or mended them.
        const others = this.askedFiles.filter((other) => other.toString() !== key);
        await this.ask(others, () => isOver);
      },
      dispose: () => {
        isOver = true;
        subscriptions.dispose();
      },
    };
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

  /** Of which TypeScript may know more than the editor reports. */
  private get askedFiles(): vscode.Uri[] {
    return this.typescript?.files ?? [];
  }

  /** See `TypeScript.ask`. */
  private async askTypeScript(...asked: Parameters<TypeScript['ask']>): ReturnType<TypeScript['ask']> {
    const typescript = this.typescript ?? (await this.loadTypeScript());
    return typescript.ask(...asked);
  }

  private async loadTypeScript(): Promise<TypeScript> {
    const { TypeScript } = await import('./typescript.ts');
    return (this.typescript ??= new TypeScript());
  }

  private isShared(uri: vscode.Uri): boolean {
    return uri.scheme === 'file' && this.sharing.allows(uri);
  }

  /** What a client may mean by that, likeliest first. */
  private sharedFiles(uri: string): vscode.Uri[] {
    return fileUris(uri).filter((file) => this.isShared(file));
  }

  /** Those of the text that the file has now, though it may have another when the answer is there. */
  private async before(uri: string, file: vscode.Uri | undefined): Promise<FileDiagnostics> {
    const known = this.of(uri);
    const reported = file ? vscode.languages.getDiagnostics(file) : [];
    const asked = file && (await this.askTypeScript(file));
    return asked ? { uri, diagnostics: this.toDiagnostics(file, withAsked(reported, asked)) } : known;
  }

  /** One after the other, so that a slow server does not get a queue. */
  private async ask(files: readonly vscode.Uri[], isOver: () => boolean): Promise<void> {
    for (const file of files.filter((each) => this.isShared(each))) {
      if (isOver()) {
        return;
      }
      await this.askTypeScript(file, true);
    }
  }

  /** Those of the file itself and, if it is an open notebook, of its cells. */
  private diagnosticsOf(file: vscode.Uri): Diagnostic[] {
    const cells = openNotebook(file)?.getCells() ?? [];
    return [file, ...cells.map(({ document }) => document.uri)].flatMap((uri) =>
      this.toDiagnostics(uri, withAsked(vscode.languages.getDiagnostics(uri), this.typescript?.of(uri))),
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

/** In the place of what TypeScript had reported while the file had a tab, or reports in checks of whole projects. */
function withAsked(
  reported: readonly vscode.Diagnostic[],
  asked: readonly vscode.Diagnostic[] | undefined,
): readonly vscode.Diagnostic[] {
  return asked ? [...reported.filter(({ source }) => source !== 'ts'), ...asked] : reported;
}
