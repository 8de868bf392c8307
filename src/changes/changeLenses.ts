import * as vscode from 'vscode';
import type { Hunk } from '../base/lineDiff.ts';
import { changeInView } from './changeDiffs.ts';
import { hunksOf, shownLine } from './changeHunks.ts';
import type { Changes } from './changes.ts';
import { commandIds } from '../editor/commandIds.ts';
import { beforeScheme } from '../editor/schemes.ts';

/**
 * The decisions that can be made inside a diff of Agent Changes: at each hunk, and about the file at the first one. They
 * stand in the file itself, so only as long as such a diff is in view.
 */
export class ChangeLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly changes: Changes) {
    const look = () => this.changed.fire();
    this.subscriptions = vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider([{ scheme: 'file' }, { scheme: beforeScheme }], this),
      vscode.window.tabGroups.onDidChangeTabs(look),
      vscode.window.tabGroups.onDidChangeTabGroups(look),
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
    const change = changeInView(this.changes.all, uri);
    if (!change) {
      return [];
    }
    // A file that came or went is decided as a whole, and so is one of which too much has changed.
    const hunks =
      change.comparison.kind === 'modified' ? await hunksOf(change, document).catch(() => []) : [];
    const [first = [], ...others] = hunks.map((hunk, index) =>
      hunkLenses(uri, hunk, shownLine(hunk, document), `${index + 1} of ${hunks.length}`),
    );
    const line = hunks[0] ? shownLine(hunks[0], document) : 0;
    return [
      ...first,
      lens(line, '$(check) Keep File', commandIds.keepFile, uri),
      lens(line, '$(discard) Revert File', commandIds.revertFile, uri),
      ...others.flat(),
    ];
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.changed.dispose();
  }
}

function hunkLenses(uri: vscode.Uri, hunk: Hunk, line: number, place: string): vscode.CodeLens[] {
  // As the gutter names them: removed lines by the one before them.
  const named = hunk.nowStart === hunk.nowEnd ? hunk.nowStart - 1 : hunk.nowStart;
  return [
    lens(line, '$(check) Keep', commandIds.keepChangedHunk, uri, named),
    lens(line, '$(discard) Revert', commandIds.revertHunk, uri, named),
    lens(line, place),
  ];
}

/** Without a command it is plain text. */
function lens(line: number, title: string, command = '', ...args: unknown[]): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: args });
}
