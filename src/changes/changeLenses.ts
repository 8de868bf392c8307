import * as vscode from 'vscode';
import type { Hunk } from '../base/lineDiff.ts';
import type { AgentHunks } from './agentHunks.ts';
import { documentBefore } from './beforeFiles.ts';
import { changeInView } from './changeDiffs.ts';
import { hunksOf, markOf, namedLine, shownLine } from './changeHunks.ts';
import type { Change, Changes } from './changes.ts';
import { isPlain } from './plainEditors.ts';
import { commandIds } from '../editor/commandIds.ts';
import { isSame } from '../editor/documents.ts';
import { beforeScheme } from '../editor/schemes.ts';
import { onDidChangeSetting, setting } from '../editor/settings.ts';

/**
 * The decisions that can be made inside a diff of Agent Changes, at each hunk, and about the file at the first one; and
 * inside the editor of a file by itself, where those about the file stand above its first line. What decides comes first, as in
 * a proposal, and is not cut off in a narrow editor. They stand in the file itself, so while such a diff is in view, all
 * editors of it have them.
 */
export class ChangeLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    private readonly changes: Changes,
    private readonly agentHunks: AgentHunks,
  ) {
    const look = () => this.changed.fire();
    this.subscriptions = vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider([{ scheme: 'file' }, { scheme: beforeScheme }], this),
      vscode.window.tabGroups.onDidChangeTabs(look),
      vscode.window.tabGroups.onDidChangeTabGroups(look),
      vscode.window.onDidChangeVisibleTextEditors(look),
      onDidChangeSetting('changes.lenses', look),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === beforeScheme) {
          look();
        }
      }),
      changes.onDidChange(look),
    );
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const { uri } = document;
    const inDiff = changeInView(this.changes.all, uri);
    if (inDiff) {
      if (isWhole(inDiff)) {
        return wholeLenses(inDiff, document);
      }
      const hunks = await hunksOf(inDiff, document).catch(() => []);
      const lenses = await lensesOf(inDiff, hunks, document);
      const line = hunks[0] ? shownLine(hunks[0], document) : 0;
      // The only hunk says it all: a narrow editor has no room for both.
      return hunks.length === 1 ? lenses.flat() : withFile(uri, line, lenses);
    }
    const [change] = uri.scheme === 'file' ? this.changes.ofPath(uri.fsPath) : [];
    return change && isInView(uri) && setting('changes.lenses') ? this.inFile(change, document) : [];
  }

  resolveCodeLens(lens: vscode.CodeLens): vscode.CodeLens {
    return lens instanceof HunkLens ? lens.resolve() : lens;
  }

  private async inFile(change: Change, document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const { uri } = document;
    const isOnly = this.changes.all.every(({ snapshot: { path } }) => path === change.snapshot.path);
    const next = isOnly ? [] : [lens(0, '$(arrow-right) Next File', commandIds.nextChangedFile, uri)];
    if (isWhole(change)) {
      return [...wholeLenses(change, document), ...next];
    }
    const hunks = await this.agentHunks.of(change, document);
    return [...withFile(uri, 0, await lensesOf(change, hunks, document)), ...next];
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.changed.dispose();
  }
}

/** In the editor of a file by itself. */
function isInView(uri: vscode.Uri): boolean {
  return vscode.window.visibleTextEditors.some(
    (editor) => isSame(editor.document.uri, uri) && isPlain(editor),
  );
}

/** A file that came or went is decided as a whole, and so is one without lines. */
function isWhole({ comparison }: Change): boolean {
  return comparison.kind !== 'modified' || comparison.isBinary === true;
}

function fileLenses(uri: vscode.Uri, line: number): vscode.CodeLens[] {
  return [
    lens(line, '$(check) Keep File', commandIds.keepFile, uri),
    lens(line, '$(discard) Revert File', commandIds.revertFile, uri),
  ];
}

/** Lines are 0-based, the last one included. */
function commentOn(uri: vscode.Uri, start: number, end: number): vscode.Command {
  return { title: '$(comment) Comment', command: commandIds.commentOnLines, arguments: [uri, start, end] };
}

/** Those about the file come after what decides on the first change, before its comment and place, which decide nothing. */
function withFile(
  uri: vscode.Uri,
  line: number,
  [first = [], ...others]: readonly vscode.CodeLens[][],
): vscode.CodeLens[] {
  return [...first.slice(0, 2), ...fileLenses(uri, line), ...first.slice(2), ...others.flat()];
}

/** Of a file as a whole: of one that came all lines are the change, and there to be commented on. */
function wholeLenses({ comparison }: Change, { uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
  const comment =
    comparison.kind === 'created' ? [new vscode.CodeLens(at(0), commentOn(uri, 0, lineCount - 1))] : [];
  return [...fileLenses(uri, 0), ...comment];
}

/** Those that are out of view get their words and commands once they are seen: a long file may have thousands. */
class HunkLens extends vscode.CodeLens {
  constructor(
    line: number,
    private readonly make: () => vscode.Command,
    isNear: boolean,
  ) {
    super(at(line), isNear ? make() : undefined);
  }

  resolve(): this {
    this.command ??= this.make();
    return this;
  }
}

async function lensesOf(
  change: Change,
  hunks: readonly Hunk[],
  document: vscode.TextDocument,
): Promise<vscode.CodeLens[][]> {
  const { uri, version } = document;
  const before = hunks.length > 0 ? await documentBefore(change) : undefined;
  if (!before || document.version !== version) {
    return []; // asked for again soon
  }
  const shown = vscode.window.visibleTextEditors
    .filter((editor) => editor.document === document)
    .flatMap(({ visibleRanges }) => visibleRanges);
  return hunks.map((hunk, index) => {
    const line = shownLine(hunk, document);
    const isNear = shown.some(({ start, end }) => start.line - nearby <= line && line <= end.line + nearby);
    let mark: string | undefined;
    /** Nothing, where the text is another by now: then there are others soon. */
    const decision = (title: string, command: string) => () => {
      mark ??= document.version === version ? markOf(hunk, before, document) : undefined;
      return mark === undefined
        ? { title, command: '' }
        : { title, command, arguments: [uri, namedLine(hunk), mark] };
    };
    const place = () => ({
      title: `${index + 1}/${hunks.length}`, // a narrow diff has no room for more
      tooltip: `Change ${index + 1} of ${hunks.length}`,
      command: '',
    });
    return [
      decision('$(check) Keep', commandIds.keepChangedHunk),
      decision('$(discard) Revert', commandIds.revertHunk),
      () => commentOn(uri, line, Math.max(line, hunk.nowEnd - 1)),
      ...(hunks.length > 1 ? [place] : []),
    ].map((make) => new HunkLens(line, make, isNear));
  });
}

/** Lines around what is in view. */
const nearby = 100;

/** Without a command it is plain text. */
function lens(line: number, title: string, command = '', ...args: unknown[]): vscode.CodeLens {
  return new vscode.CodeLens(at(line), { title, command, arguments: args });
}

function at(line: number): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}
