import * as vscode from 'vscode';
import type { Hunk } from '../base/lineDiff.ts';
import { counted, cut } from '../base/text.ts';
import { Throttle } from '../base/throttle.ts';
import type { AgentHunks } from './agentHunks.ts';
import { documentBefore } from './beforeFiles.ts';
import { shownLine } from './changeHunks.ts';
import type { Change, Changes } from './changes.ts';
import { isPlain } from './plainEditors.ts';
import { linesBetween } from '../editor/documents.ts';
import { onDidChangeSetting, setting } from '../editor/settings.ts';

/** Lines above and below the screen that are coloured, too, so that none is seen without while one scrolls. */
const margin = 100;

/** Of the removed lines, what a hover shows. */
const shownLines = 20;

/** The lines that agents have added or changed in files that wait for review, in the colours of the diff editor. */
export class ChangeColors implements vscode.Disposable {
  private readonly added = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('ideBridge.addedLineBackground'),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  /** Above the line before which lines are gone; below the last line if they were the last. */
  private readonly removed = this.line('1px 0 0 0');
  private readonly removedBelow = this.line('0 0 1px 0');
  /** Others have nothing that would have to go. */
  private readonly colored = new WeakSet<vscode.TextEditor>();
  private readonly update = new Throttle(50, () => this.colorAll());
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly changes: Changes,
    private readonly hunks: AgentHunks,
  ) {
    const look = () => this.update.schedule();
    this.subscriptions = vscode.Disposable.from(
      this.added,
      this.removed,
      this.removedBelow,
      this.update,
      changes.onDidChange(look),
      vscode.window.onDidChangeVisibleTextEditors(look),
      vscode.window.onDidChangeTextEditorVisibleRanges(look),
      vscode.window.tabGroups.onDidChangeTabs(look),
      vscode.workspace.onDidChangeTextDocument(look),
      onDidChangeSetting('changes.colors', look),
    );
    look();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private line(borderWidth: string): vscode.TextEditorDecorationType {
    return vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      borderColor: new vscode.ThemeColor('ideBridge.removedLines'),
      borderStyle: 'solid',
      borderWidth,
    });
  }

  private colorAll(): void {
    const isOn = setting('changes.colors');
    for (const editor of vscode.window.visibleTextEditors) {
      const [change] = isOn && isPlain(editor) ? this.changes.ofPath(editor.document.uri.fsPath) : [];
      if (change) {
        this.colored.add(editor);
      } else if (!this.colored.delete(editor)) {
        continue;
      }
      void this.color(editor, change);
    }
  }

  private async color(editor: vscode.TextEditor, change: Change | undefined): Promise<void> {
    const { document, visibleRanges } = editor;
    const { version } = document;
    const hunks = change ? await this.hunks.of(change, document) : [];
    const before =
      change && hunks.length > 0 ? await documentBefore(change).catch(() => undefined) : undefined;
    if (document.version !== version || (change && !this.colored.has(editor))) {
      return; // looked at again soon, or no longer to be coloured
    }
    const first = (visibleRanges[0]?.start.line ?? 0) - margin;
    const last = (visibleRanges.at(-1)?.end.line ?? 0) + margin;
    const shown = hunks.filter(({ nowStart, nowEnd }) => nowEnd >= first && nowStart <= last);
    // Of a file that was not there nothing is gone, though an empty text has a line, too.
    const gone =
      change?.comparison.kind === 'modified'
        ? shown.filter(({ beforeStart, beforeEnd }) => beforeEnd > beforeStart)
        : [];
    const marks = (of: Hunk[]) =>
      of.map((hunk) => {
        const line = shownLine(hunk, document);
        const range = new vscode.Range(line, 0, line, 0);
        return before ? { range, hoverMessage: removedLines(before, hunk) } : { range };
      });
    const isBelow = ({ nowStart }: Hunk) => nowStart >= document.lineCount;
    editor.setDecorations(
      this.added,
      shown
        .filter(({ nowStart, nowEnd }) => nowEnd > nowStart)
        .map(
          ({ nowStart, nowEnd }) =>
            new vscode.Range(Math.max(nowStart, first), 0, Math.min(nowEnd - 1, Math.max(last, 0)), 0),
        ),
    );
    editor.setDecorations(this.removed, marks(gone.filter((hunk) => !isBelow(hunk))));
    editor.setDecorations(this.removedBelow, marks(gone.filter(isBelow)));
  }
}

/** What stood there before; text of a file, so nothing in it is a link. */
function removedLines(before: vscode.TextDocument, { beforeStart, beforeEnd }: Hunk): vscode.MarkdownString {
  const count = beforeEnd - beforeStart;
  const lines = linesBetween(before, beforeStart, Math.min(beforeEnd, beforeStart + shownLines));
  const left = count - lines.length;
  return new vscode.MarkdownString()
    .appendText(
      `Before the agent${left > 0 ? `, the first ${shownLines} of ${counted(count, 'line')}` : ''}:`,
    )
    .appendCodeblock(lines.map((line) => cut(line, 200)).join('\n'), before.languageId);
}
