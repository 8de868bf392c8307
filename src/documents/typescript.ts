import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { isSame } from '../editor/documents.ts';
import { isReloaded } from '../editor/onDisk.ts';
import { isRegularFile } from '../editor/paths.ts';
import { allTabs, contentOf } from '../editor/tabContent.ts';

const extensionId = 'vscode.typescript-language-features';

/** Files whose last answer is kept. */
const maxFiles = 10;
/** ms after which the server need not answer any more. */
const answerTime = 10_000;
/** ms in which the editor reads again what was written. */
const reloadTime = 1_000;

/** 1-based, in UTF-16 units. */
const position = z.object({ line: z.number(), offset: z.number() });
const span = z.object({ start: position, end: position });
const problem = z.extend(span, {
  text: z.string(),
  category: z.string(),
  code: z.optional(z.number()),
  source: z.optional(z.string()),
  reportsUnnecessary: z.optional(z.unknown()),
  reportsDeprecated: z.optional(z.unknown()),
  relatedInformation: z.optional(
    z.array(z.object({ message: z.string(), span: z.optional(z.extend(span, { file: z.string() })) })),
  ),
});
const response = z.object({ type: z.literal('response'), body: z.array(problem) });

/** Findings of style, which TypeScript's extension reports as warnings by default. */
const styleChecks = [6133, 6138, 6192, 6196, 7027, 7028, 7029, 7030];

interface Answer {
  readonly document: vscode.TextDocument;
  /** Of the document, when the server was asked. */
  readonly version: number;
  readonly found: readonly vscode.Diagnostic[];
}

/**
 * The problems of JavaScript and TypeScript files that no tab shows. VS Code's own TypeScript reports on tabs alone, but
 * answers when it is asked about a document that was opened in the background. What it says goes to clients only: the
 * editor shows none of it. Where that extension is missing, or another server has taken its place, nothing is known.
 */
export class TypeScript {
  /** By URI, the one written last at the end. VS Code closes the documents after some minutes, which ends the answer. */
  private readonly answers = new Map<string, Answer>();

  /** Starts the server if one of these is there, by what starts it in any window: a document of a configuration. */
  async warm(configs: readonly vscode.Uri[]): Promise<void> {
    const config = configs.find(({ fsPath }) => isRegularFile(fsPath));
    if (config && vscode.extensions.getExtension(extensionId)?.isActive === false) {
      await vscode.workspace.openTextDocument(config);
    }
  }

  /** The files that it was asked about, the one that was written last first. */
  get files(): vscode.Uri[] {
    return [...this.answers.values()].map(({ document }) => document.uri).reverse();
  }

  /** What is known of the file as it is now; undefined where it is left to the editor. */
  of(uri: vscode.Uri): readonly vscode.Diagnostic[] | undefined {
    const answer = this.answers.get(uri.toString());
    const isCurrent =
      answer &&
      !answer.document.isClosed &&
      answer.document.version === answer.version &&
      isRegularFile(uri.fsPath) && // a document outlives its file
      !hasTab(uri);
    return isCurrent ? answer.found : undefined;
  }

  /**
   * Asks about a file: as its document is now, or as it was just written, once the document has that.
   * @returns undefined where the server is not the one to ask, or has not answered. Takes as long as the server does.
   */
  async ask(uri: vscode.Uri, isWritten = false): Promise<readonly vscode.Diagnostic[] | undefined> {
    const extension = vscode.extensions.getExtension(extensionId);
    if (!extension || !/\.[cm]?[jt]sx?$/i.test(uri.path) || hasTab(uri) || !isRegularFile(uri.fsPath)) {
      this.answers.delete(uri.toString());
      return undefined;
    }
    if (!isWritten) {
      this.answers.delete(uri.toString()); // it is about to be another, and the last one
    }
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      // Else the first request would go through the window, and tell nothing of the order of things.
      await extension.activate();
      if ((isWritten && !(await isReloaded(document, reloadTime))) || !isValidated(document)) {
        return undefined;
      }
      const { version } = document;
      const found = await request(uri);
      this.keep({ document, version, found });
      return found;
    } catch {
      return undefined; // not a text, or no such server: as before
    }
  }

  private keep(answer: Answer): void {
    const key = answer.document.uri.toString();
    const last = this.answers.get(key);
    if (last?.document === answer.document && last.version > answer.version) {
      return;
    }
    this.answers.set(key, answer);
    for (const oldest of [...this.answers.keys()].slice(0, -maxFiles)) {
      this.answers.delete(oldest);
    }
  }
}

async function request(file: vscode.Uri): Promise<vscode.Diagnostic[]> {
  const cancellation = new vscode.CancellationTokenSource();
  const timer = setTimeout(() => cancellation.cancel(), answerTime);
  try {
    // Both at once, so that they are about the same text.
    const answers = await Promise.all(
      ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync'].map((command) =>
        vscode.commands.executeCommand(
          'typescript.tsserverRequest',
          command,
          { file },
          undefined,
          cancellation.token,
        ),
      ),
    );
    return answers.flatMap((answer) => response.parse(answer).body.map(toDiagnostic));
  } finally {
    clearTimeout(timer);
    cancellation.dispose();
  }
}

/** As TypeScript's own extension does it for a file in a tab. */
function toDiagnostic(found: z.infer<typeof problem>): vscode.Diagnostic {
  const { text, category, code, source = 'ts', relatedInformation } = found;
  const diagnostic = new vscode.Diagnostic(toRange(found), text, severityOf(category, code));
  diagnostic.source = source;
  if (code !== undefined) {
    diagnostic.code = code;
  }
  diagnostic.tags = [
    ...(found.reportsUnnecessary ? [vscode.DiagnosticTag.Unnecessary] : []),
    ...(found.reportsDeprecated ? [vscode.DiagnosticTag.Deprecated] : []),
  ];
  diagnostic.relatedInformation = (relatedInformation ?? []).flatMap(({ message, span }) =>
    span && isAbsolute(span.file)
      ? [
          new vscode.DiagnosticRelatedInformation(
            new vscode.Location(vscode.Uri.file(span.file), toRange(span)),
            message,
          ),
        ]
      : [],
  );
  return diagnostic;
}

function toRange({ start, end }: z.infer<typeof span>): vscode.Range {
  const zeroBased = ({ line, offset }: z.infer<typeof position>) =>
    new vscode.Position(Math.max(0, line - 1), Math.max(0, offset - 1));
  return new vscode.Range(zeroBased(start), zeroBased(end));
}

function severityOf(category: string, code: number | undefined): vscode.DiagnosticSeverity {
  const isStyle = code !== undefined && styleChecks.includes(code);
  if (category === 'warning' || (isStyle && isOn('typescript', 'reportStyleChecksAsWarnings'))) {
    return vscode.DiagnosticSeverity.Warning;
  }
  return category === 'suggestion' ? vscode.DiagnosticSeverity.Hint : vscode.DiagnosticSeverity.Error;
}

/** Whether it is of a language that the user wants to have checked. */
function isValidated({ languageId }: vscode.TextDocument): boolean {
  const language = /^(typescript|javascript)(react)?$/.exec(languageId)?.[1];
  return language !== undefined && isOn(language, 'validate.enable', 'validate.enabled');
}

/** A setting of TypeScript's extension that is on by default. Newer versions have one for both languages. */
function isOn(language: string, name: string, newName = name): boolean {
  const both = vscode.workspace.getConfiguration('js/ts').inspect<boolean>(newName);
  return (
    both?.workspaceFolderValue ??
    both?.workspaceValue ??
    both?.globalValue ??
    vscode.workspace.getConfiguration(language).get(name, true)
  );
}

/** Tabs of the kinds for which TypeScript's extension reports by itself. */
function hasTab(uri: vscode.Uri): boolean {
  return allTabs()
    .map(({ input }) => contentOf(input))
    .some(
      (content) =>
        content &&
        content.kind !== 'custom' &&
        [content.uri, content.original].some((side) => isSame(side, uri)),
    );
}
