import * as vscode from 'vscode';
import { cut } from '../base/text.ts';
import type { SelectionSource } from '../context/selectionChanged.ts';
import type { ActiveSelection } from '../tools/getCurrentSelection.ts';
import type { ActiveEditorChanged, AtMentioned, SelectionChanged } from '../protocol/ide.ts';
import { cellId, cellOf, fileUriOf, ownerOf } from './cells.ts';
import { rawFileUri } from './rawUri.ts';
import type { Sharing } from './sharing.ts';
import { tabsWith } from './tabContent.ts';
import { toRange } from './toRange.ts';

/** UTF-16 code units; the CLI itself cuts at 2,000 characters. */
const maxText = 10_000;

/**
 * What the user looks at. It stays while the focus is in a terminal, a view or a virtual document, and goes when
 * its tab is closed.
 */
export class Selections implements SelectionSource, ActiveSelection, vscode.Disposable {
  private editor: vscode.TextEditor | undefined;
  private isActiveEditorTold = false;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly activeEditorChanged = new vscode.EventEmitter<ActiveEditorChanged | undefined>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChange = this.changed.event;
  /** Another editor that is shared; undefined: none is. */
  readonly onDidChangeActiveEditor = this.activeEditorChanged.event;

  constructor(private readonly sharing: Sharing) {
    this.follow(vscode.window.activeTextEditor);
    this.subscriptions = [
      sharing.onDidChange(() => {
        this.changed.fire();
        if ((this.current !== undefined) !== this.isActiveEditorTold) {
          this.tellActiveEditor();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === this.editor) {
          this.changed.fire();
        }
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.length > 0 && this.editor && tabsWith(fileUriOf(this.editor.document.uri)).length === 0) {
          this.set(undefined);
        }
      }),
    ];
  }

  get active(): SelectionChanged | undefined {
    const editor = vscode.window.activeTextEditor;
    return this.shared(editor && realSide(editor));
  }

  get current(): SelectionChanged | undefined {
    return this.shared(this.editor);
  }

  /**
   * The selected lines of the active editor, 0-based and inclusive; the whole file if nothing is selected. In a
   * notebook its cell: the lines of a cell are not those of the file.
   */
  get mention(): AtMentioned | undefined {
    const cell = selectedCell() ?? (this.editor && cellOf(this.editor.document.uri));
    if (cell) {
      const { uri, isUntitled } = cell.notebook;
      return isUntitled ? undefined : { filePath: uri.fsPath, cellId: cellId(cell) };
    }
    if (!this.editor || this.editor.document.isUntitled) {
      return undefined;
    }
    const { document, selection } = this.editor;
    if (selection.isEmpty) {
      return { filePath: document.uri.fsPath };
    }
    const { start, end } = selection;
    const lineEnd = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
    return { filePath: document.uri.fsPath, lineStart: start.line, lineEnd };
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changed, this.activeEditorChanged).dispose();
  }

  private shared(editor: vscode.TextEditor | undefined): SelectionChanged | undefined {
    return editor && this.sharing.allows(fileUriOf(editor.document.uri)) ? toSelection(editor) : undefined;
  }

  private follow(active: vscode.TextEditor | undefined): void {
    const editor = active && realSide(active);
    if (editor) {
      this.set(editor);
    }
  }

  private set(editor: vscode.TextEditor | undefined): void {
    this.editor = editor;
    this.changed.fire();
    this.tellActiveEditor();
  }

  private tellActiveEditor(): void {
    const shared = this.current;
    this.isActiveEditorTold = shared !== undefined;
    this.activeEditorChanged.fire(
      this.editor &&
        shared && {
          filePath: shared.filePath,
          fileUrl: shared.fileUrl,
          languageId: this.editor.document.languageId,
          selection: { start: shared.selection.start, end: shared.selection.end },
        },
    );
  }
}

/** Of the notebook in front, whether its text has the cursor or not. */
function selectedCell(): vscode.NotebookCell | undefined {
  const editor = vscode.window.activeNotebookEditor;
  return editor?.notebook.uri.scheme === 'file'
    ? editor.notebook.getCells()[editor.selection.start]
    : undefined;
}

/** In a diff with a version of a file, the editor of the file itself. */
function realSide(editor: vscode.TextEditor): vscode.TextEditor | undefined {
  if (isReal(editor)) {
    return editor;
  }
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (!(input instanceof vscode.TabInputTextDiff)) {
    return undefined;
  }
  const sides = [input.modified, input.original].map((side) => side.toString());
  return vscode.window.visibleTextEditors.find(
    (candidate) => isReal(candidate) && sides.includes(candidate.document.uri.toString()),
  );
}

/** Files, and those that may become one; not the output of a task, nor a version of a file. */
function isReal({ document }: vscode.TextEditor): boolean {
  return ['file', 'untitled'].includes(fileUriOf(document.uri).scheme);
}

function toSelection({ document, selection }: vscode.TextEditor): SelectionChanged {
  const { isEmpty } = selection;
  const cellIndex = cellOf(document.uri)?.index;
  const { uri, isUntitled } = ownerOf(document);
  const filePath = isUntitled ? uri.path : uri.fsPath;
  return {
    text: isEmpty ? '' : cut(document.getText(selection), maxText),
    filePath,
    fileUrl: isUntitled ? uri.toString() : rawFileUri(filePath),
    ...(cellIndex !== undefined && { cellIndex }),
    selection: { ...toRange(selection), isEmpty },
  };
}
