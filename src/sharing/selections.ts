import * as vscode from 'vscode';
import { cut } from '../base/text.ts';
import { nothing, type SelectionSource } from '../context/selectionChanged.ts';
import type { ActiveSelection } from '../tools/getCurrentSelection.ts';
import type { ActiveEditorChanged, AtMentioned, SelectionChanged } from '../protocol/ide.ts';
import { cellId, cellOf, fileUriOf, ownerOf } from '../editor/cells.ts';
import { linesOf } from '../editor/linesOf.ts';
import { rawFileUri } from '../editor/rawUri.ts';
import type { Sharing } from './sharing.ts';
import { isSame } from '../editor/documents.ts';
import { contentOf, tabsWith } from '../editor/tabContent.ts';
import { toRange } from '../editor/toRange.ts';

/** UTF-16 code units; the CLI itself cuts at 2,000 characters. */
const maxText = 10_000;

/** ms after which a tab for text that has no editor shows something else: the editor of a text that opens is there by then. */
const openingTime = 500;

/**
 * What the user looks at. It stays while the focus is in a terminal, a view or a virtual document, and goes when
 * its tab is closed.
 */
export class Selections implements SelectionSource, ActiveSelection, vscode.Disposable {
  private shown: Shown | undefined;
  private isActiveEditorTold = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly activeEditorChanged = new vscode.EventEmitter<ActiveEditorChanged | undefined>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChange = this.changed.event;
  /** Another editor that is shared; undefined: none is. */
  readonly onDidChangeActiveEditor = this.activeEditorChanged.event;

  constructor(private readonly sharing: Sharing) {
    // In a window that was reloaded a terminal may be in front.
    this.shown = inFront() ?? vscode.window.visibleTextEditors.find(isReal);
    this.subscriptions = [
      sharing.onDidChange(() => {
        this.changed.fire();
        if ((this.current !== undefined) !== this.isActiveEditorTold) {
          this.tellActiveEditor();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.follow()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === this.shown) {
          this.changed.fire();
        }
      }),
      vscode.window.onDidChangeNotebookEditorSelection(() => this.changed.fire()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.follow()),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        const isGone = closed.length > 0 && this.shown && tabsWith(fileOf(this.shown)).length === 0;
        if (isGone) {
          this.set(undefined);
        }
        // The editor of a closed tab is the active one for a moment longer.
        if (!isGone || !vscode.window.activeTextEditor) {
          this.follow();
        }
      }),
    ];
  }

  get active(): SelectionChanged | undefined {
    const editor = vscode.window.activeTextEditor;
    return this.shared(editor && realSide(editor));
  }

  get current(): SelectionChanged | undefined {
    return this.shared(this.shown);
  }

  /**
   * Each of the selections in the active editor, their lines 0-based and inclusive; the whole file if nothing is
   * selected, or something else than text shows it. In a notebook its cell: the lines of a cell are not those of the
   * file. Nothing where no file is in front: not another one than the user sees.
   */
  get mentions(): AtMentioned[] {
    const { activeTextEditor } = vscode.window;
    if (activeTextEditor && !realSide(activeTextEditor)) {
      return [];
    }
    const otherTab = activeTextEditor ? undefined : this.tabOfAnother();
    if (otherTab) {
      const uri = contentOf(otherTab.input)?.uri;
      return uri?.scheme === 'file' ? [{ filePath: uri.fsPath }] : [];
    }
    const inText = this.shown instanceof vscode.Uri ? undefined : this.shown;
    const cell = selectedCell() ?? (inText && cellOf(inText.document.uri));
    if (cell) {
      const { uri, isUntitled } = cell.notebook;
      return isUntitled ? [] : [{ filePath: uri.fsPath, cellId: cellId(cell) }];
    }
    if (this.shown instanceof vscode.Uri) {
      return [{ filePath: this.shown.fsPath }];
    }
    if (!this.shown || this.shown.document.isUntitled) {
      return [];
    }
    const { document, selections } = this.shown;
    const { fsPath: filePath } = document.uri;
    const selected = selections.filter(({ isEmpty }) => !isEmpty);
    return selected.length === 0
      ? [{ filePath }]
      : selected.map((selection) => ({ filePath, ...linesOf(selection) }));
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions, this.changed, this.activeEditorChanged).dispose();
  }

  /** The tab in front, without text, where it shows something else; a terminal does not take the place of a file. */
  private tabOfAnother(): vscode.Tab | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const isOfShown =
      !tab ||
      tab.input instanceof vscode.TabInputTerminal ||
      (this.shown && isSame(contentOf(tab.input)?.uri, fileOf(this.shown)));
    return isOfShown ? undefined : tab;
  }

  private shared(shown: Shown | undefined): SelectionChanged | undefined {
    return shown && this.sharing.allows(fileOf(shown)) ? toSelection(shown) : undefined;
  }

  /** @param isOpen nothing has come to the front for a while */
  private follow(isOpen = false): void {
    const shown = inFront(isOpen);
    clearTimeout(this.timer);
    if (!shown && !isOpen) {
      this.timer = setTimeout(() => this.follow(true), openingTime);
    }
    const isSameFile =
      shown instanceof vscode.Uri && this.shown instanceof vscode.Uri && shown.fsPath === this.shown.fsPath;
    if (shown && shown !== this.shown && !isSameFile) {
      this.set(shown);
    }
  }

  private set(shown: Shown | undefined): void {
    this.shown = shown;
    this.changed.fire();
    this.tellActiveEditor();
  }

  private tellActiveEditor(): void {
    const shared = this.current;
    this.isActiveEditorTold = shared !== undefined;
    this.activeEditorChanged.fire(
      this.shown &&
        shared && {
          filePath: shared.filePath,
          fileUrl: shared.fileUrl,
          languageId: this.shown instanceof vscode.Uri ? '' : this.shown.document.languageId,
          selection: { start: shared.selection.start, end: shared.selection.end },
        },
    );
  }
}

/** A text editor, or the file that something else shows: a picture, a notebook of which no text has the cursor. */
type Shown = vscode.TextEditor | vscode.Uri;

/** @param isOpen what is in front without an editor is no text: the tab of a binary file says that it is one */
function inFront(isOpen = false): Shown | undefined {
  const { activeTextEditor, tabGroups } = vscode.window;
  if (activeTextEditor) {
    return realSide(activeTextEditor);
  }
  const content = contentOf(tabGroups.activeTabGroup.activeTab?.input);
  const mayHaveText = content?.kind === 'text' || content?.kind === 'diff';
  return content?.uri.scheme === 'file' && (isOpen || !mayHaveText) ? content.uri : undefined;
}

function fileOf(shown: Shown): vscode.Uri {
  return shown instanceof vscode.Uri ? shown : fileUriOf(shown.document.uri);
}

/** Of the notebook in front, whether its text has the cursor or not. */
function selectedCell(): vscode.NotebookCell | undefined {
  const editor = vscode.window.activeNotebookEditor;
  return editor?.notebook.uri.scheme === 'file'
    ? editor.notebook.getCells()[editor.selections[0]?.start ?? -1] // one without cells has no selection
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

function toSelection(shown: Shown): SelectionChanged {
  if (shown instanceof vscode.Uri) {
    const cell = selectedCell();
    return {
      ...nothing,
      filePath: shown.fsPath,
      fileUrl: rawFileUri(shown.fsPath),
      ...(cell?.notebook.uri.fsPath === shown.fsPath && { cellIndex: cell.index }),
    };
  }
  const { document, selection } = shown;
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
