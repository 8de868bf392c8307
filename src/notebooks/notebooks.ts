import { basename } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { withLf } from '../base/text.ts';
import type { Session } from '../server/session.ts';
import { toContent } from '../tools/cellOutputs.ts';
import type { CodeRun, CodeRunner } from '../tools/executeCode.ts';
import { type CellRunEnd, type CellRunOptions, closePicker, hasStarted, runCell } from './cellRun.ts';
import { type JupyterKernel, jupyterKernel } from './jupyter.ts';
import { failureOf, refusals } from './notebookRefusals.ts';
import { RunConsent } from './runConsent.ts';
import type { RunQuestions } from './runQuestions.ts';
import { setting } from '../editor/settings.ts';
import { tabsWith } from '../editor/tabContent.ts';

/** Runs a session's code in the notebook that the user works in, on the notebook's own kernel. */
export class Notebooks implements CodeRunner, vscode.Disposable {
  private readonly consent: RunConsent;
  private readonly runningCells = new WeakSet<vscode.NotebookCell>();
  private lastEditor = vscode.window.activeNotebookEditor;
  private isRunning = false;
  private readonly subscriptions: vscode.Disposable[];

  constructor(workspaceState: vscode.Memento, questions: RunQuestions) {
    this.consent = new RunConsent(workspaceState, questions);
    this.subscriptions = [
      vscode.window.onDidChangeActiveNotebookEditor((editor) => {
        this.lastEditor = editor ?? this.lastEditor;
      }),
      vscode.workspace.onDidChangeNotebookDocument(({ cellChanges }) => this.followRuns(cellChanges)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  async run(code: string, session: Session, signal: AbortSignal): Promise<CodeRun> {
    const { editor } = this;
    if (!vscode.workspace.isTrusted) {
      throw refusals.untrusted();
    }
    if (!editor) {
      throw refusals.noNotebook();
    }
    // The editor would change it all the same.
    if (vscode.workspace.fs.isWritableFileSystem(editor.notebook.uri.scheme) === false) {
      throw refusals.readOnly(nameOf(editor.notebook));
    }
    const kernel = await jupyterKernel(editor.notebook.uri); // which may ask the user, and never come
    if (this.isRunning || signal.aborted) {
      throw refusals.runningAlready();
    }
    this.isRunning = true;
    try {
      this.checkKernel(editor.notebook, kernel);
      await this.askUser(editor.notebook, code, session, signal);
      this.checkKernel(editor.notebook, kernel); // again: the user may have run a cell meanwhile
      return await runNewCell(this.visible(editor), code, { kernel, signal });
    } finally {
      this.isRunning = false;
    }
  }

  /** The notebook that is in front, or was before the focus went to a terminal in the editor area. */
  private get editor(): vscode.NotebookEditor | undefined {
    const { activeNotebookEditor, visibleNotebookEditors } = vscode.window;
    return (
      activeNotebookEditor ??
      visibleNotebookEditors.find((editor) => editor === this.lastEditor) ??
      visibleNotebookEditors[0]
    );
  }

  /** Before anything of the code is in the notebook: that may be saved at any time, and stays if the window goes. */
  private async askUser(
    notebook: vscode.NotebookDocument,
    code: string,
    session: Session,
    signal: AbortSignal,
  ): Promise<void> {
    const name = nameOf(notebook);
    const isAgreed = await this.consent.isGiven({ session, notebook: name, code }, signal);
    if (!isAgreed || signal.aborted) {
      throw refusals.refused();
    }
    if (!isOpen(notebook)) {
      throw refusals.closed(name);
    }
  }

  /** A notebook that was covered, or has moved to another group, has another editor. */
  private visible(editor: vscode.NotebookEditor): vscode.NotebookEditor {
    const { visibleNotebookEditors } = vscode.window;
    return visibleNotebookEditors.find(({ notebook }) => notebook === editor.notebook) ?? editor;
  }

  private checkKernel(notebook: vscode.NotebookDocument, kernel: JupyterKernel | undefined): void {
    if (kernel && kernel.language.toLowerCase() !== 'python') {
      throw refusals.otherLanguage(nameOf(notebook));
    }
    if (kernel && ['terminating', 'dead'].includes(kernel.status)) {
      throw refusals.kernelDead(nameOf(notebook));
    }
    // It would run after that cell, but an interrupt of ours would hit that one.
    if (kernel?.status === 'busy' || notebook.getCells().some((cell) => this.runningCells.has(cell))) {
      throw refusals.kernelBusy(nameOf(notebook));
    }
  }

  /** The API does not tell whether a cell runs: one that has got a number, and no result yet, does. */
  private followRuns(changes: readonly vscode.NotebookDocumentCellChange[]): void {
    for (const { cell, executionSummary } of changes) {
      if (executionSummary) {
        const { executionOrder, success, timing } = executionSummary;
        const runs = typeof executionOrder === 'number' && typeof success !== 'boolean' && !timing;
        this.runningCells[runs ? 'add' : 'delete'](cell);
      }
    }
  }
}

async function runNewCell(
  editor: vscode.NotebookEditor,
  code: string,
  { kernel, signal }: Pick<CellRunOptions, 'kernel' | 'signal'>,
): Promise<CodeRun> {
  const cell = await addCell(editor, code);
  // What the user has made of it is theirs.
  const isOurs = () => withLf(cell.document.getText()) === withLf(code);
  try {
    if (signal.aborted) {
      throw refusals.refused(); // while the cell was added: nobody would hear of it, and so stop it, later
    }
    const seconds = setting('notebook.timeout');
    const end = await execute(editor, cell, isOurs, { kernel, signal, timeout: seconds * 1_000 });
    const failure = failureOf(end, hasErrorOutput(cell), seconds);
    return {
      outputs: toContent(cell.outputs, setting('notebook.outputLimit')),
      ...(failure === undefined ? {} : { failure }),
    };
  } finally {
    if (isOurs() && (!hasStarted(cell) || !setting('notebook.keepCell'))) {
      await removeCell(cell);
    }
  }
}

/** Where the user wants new cells; scrolled into view, without the focus. */
async function addCell(editor: vscode.NotebookEditor, code: string): Promise<vscode.NotebookCell> {
  const { notebook, selection } = editor;
  const index = setting('notebook.cellPosition') === 'belowSelection' ? selection.end : notebook.cellCount;
  const data = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, code, 'python');
  const before = new Set(notebook.getCells());
  if (!(await applyEdit(notebook, vscode.NotebookEdit.insertCells(index, [data])))) {
    throw refusals.readOnly(nameOf(notebook));
  }
  // Where it is now: cells may have come and gone above it meanwhile.
  const cell = notebook
    .getCells()
    .find((each) => !before.has(each) && withLf(each.document.getText()) === withLf(code));
  if (!cell) {
    throw refusals.cellGone(nameOf(notebook));
  }
  editor.revealRange(
    new vscode.NotebookRange(cell.index, cell.index + 1),
    vscode.NotebookEditorRevealType.InCenterIfOutsideViewport,
  );
  return cell;
}

async function removeCell({ notebook, index }: vscode.NotebookCell): Promise<void> {
  if (!notebook.isClosed && index >= 0) {
    await applyEdit(notebook, vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(index, index + 1)));
  }
}

async function applyEdit({ uri }: vscode.NotebookDocument, edit: vscode.NotebookEdit): Promise<boolean> {
  const workspaceEdit = new vscode.WorkspaceEdit();
  workspaceEdit.set(uri, [edit]);
  return vscode.workspace.applyEdit(workspaceEdit);
}

/** Runs the cell; where no kernel is selected, lets the user select one first. */
async function execute(
  editor: vscode.NotebookEditor,
  cell: vscode.NotebookCell,
  isOurs: () => boolean,
  options: CellRunOptions,
): Promise<Exclude<CellRunEnd, 'not started'>> {
  const end = await runCell(cell, options);
  if (end !== 'not started') {
    return end;
  }
  // The editor's own command offers kernels only for the notebook that has the focus, and says nothing of the choice.
  const isSelected = await selectKernel(editor, options.signal);
  const name = nameOf(cell.notebook);
  if (cell.index < 0 || !isOpen(cell.notebook)) {
    throw refusals.cellGone(name);
  }
  if (!isOurs()) {
    throw refusals.cellChanged(name);
  }
  if (!isSelected && !hasStarted(cell)) {
    throw refusals.noKernel(name);
  }
  const second = await runCell(cell, options);
  if (second === 'not started') {
    throw refusals.otherLanguage(name);
  }
  return second;
}

/** False if the user selects none, or the call ends first. */
async function selectKernel(notebookEditor: vscode.NotebookEditor, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) {
    return false;
  }
  const aborted = new Promise<false>((resolve) => {
    signal.addEventListener('abort', () => void closePicker().then(() => resolve(false)), { once: true });
  });
  const choice = vscode.commands.executeCommand<unknown>('notebook.selectKernel', {
    notebookEditor,
    skipIfAlreadySelected: true, // editors before 1.98 or so ask again
  });
  return (await Promise.race([choice, aborted])) === true && !signal.aborted;
}

function hasErrorOutput({ outputs }: vscode.NotebookCell): boolean {
  const { mime } = vscode.NotebookCellOutputItem.error(new Error());
  return outputs.some(({ items }) => items.some((item) => item.mime === mime));
}

function isOpen({ uri }: vscode.NotebookDocument): boolean {
  return tabsWith(uri).length > 0;
}

function nameOf({ uri }: vscode.NotebookDocument): string {
  return printable(basename(uri.path));
}
