import { setImmediate } from 'node:timers/promises';
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
 * inside the editor of a file by itself, where those about the file stand above its first line. They stand in the file
 * itself, so while such a diff is in view, all editors of it have them.
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
      // A file that came or went is decided as a whole, and so is one of which too much has changed.
      const isWhole = inDiff.comparison.kind !== 'modified';
      const hunks = isWhole ? [] : await hunksOf(inDiff, document).catch(() => []);
      const [first = [], ...others] = await lensesOf(inDiff, hunks, document);
      const line = hunks[0] ? shownLine(hunks[0], document) : 0;
      return [...first, ...fileLenses(uri, line), ...others.flat()];
    }
    const [change] = uri.scheme === 'file' ? this.changes.ofPath(uri.fsPath) : [];
    return change && isInView(uri) && setting('changes.lenses') ? this.inFile(change, document) : [];
  }

  private async inFile(change: Change, document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const { uri } = document;
    const isOnly = this.changes.all.every(({ snapshot: { path } }) => path === change.snapshot.path);
    const next = isOnly ? [] : [lens(0, '$(arrow-right) Next File', commandIds.nextChangedFile, uri)];
    const ofFile = [...fileLenses(uri, 0), ...next];
    if (change.comparison.kind !== 'modified') {
      return ofFile;
    }
    const hunks = await this.agentHunks.of(change, document);
    return [...ofFile, ...(await lensesOf(change, hunks, document)).flat()];
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

function fileLenses(uri: vscode.Uri, line: number): vscode.CodeLens[] {
  return [
    lens(line, '$(check) Keep File', commandIds.keepFile, uri),
    lens(line, '$(discard) Revert File', commandIds.revertFile, uri),
  ];
}

async function lensesOf(
  change: Change,
  hunks: readonly Hunk[],
  document: vscode.TextDocument,
): Promise<vscode.CodeLens[][]> {
  const { version } = document;
  const before = hunks.length > 0 ? await documentBefore(change) : undefined;
  if (!before || document.version !== version) {
    return []; // asked for again soon
  }
  const lenses: vscode.CodeLens[][] = [];
  for (const [index, hunk] of hunks.entries()) {
    if (index % portion === portion - 1) {
      await setImmediate();
      if (document.version !== version) {
        return [];
      }
    }
    const line = shownLine(hunk, document);
    const where = [document.uri, namedLine(hunk), markOf(hunk, before, document)];
    lenses.push([
      lens(line, '$(check) Keep', commandIds.keepChangedHunk, ...where),
      lens(line, '$(discard) Revert', commandIds.revertHunk, ...where),
      lens(
        line,
        '$(comment) Comment',
        commandIds.commentOnLines,
        document.uri,
        line,
        Math.max(line, hunk.nowEnd - 1),
      ),
      lens(line, `${index + 1} of ${hunks.length}`),
    ]);
  }
  return lenses;
}

/** Changes of which the lenses are made in one go. */
const portion = 500;

/** Without a command it is plain text. */
function lens(line: number, title: string, command = '', ...args: unknown[]): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: args });
}
