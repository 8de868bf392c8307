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
import { setting } from './settings.ts';
import { tabsWith } from './tabContent.ts';

/** Runs a session's code in the notebook that the user works in, on the notebook's own kernel. */
export class Notebooks implements CodeRunner, vscode.Disposable {
  private readonly consent: RunConsent;
  private readonly runningCells = new WeakSet<vscode.NotebookCell>();
  private lastEditor = vscode.window.activeNotebookEditor;
  private isRunning = false;
  private readonly subscriptions: vscode.Disposable[];

  constructor(workspaceState: vscode.Memento) {
    this.consent = new RunConsent(workspaceState);
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
      return await this.runNewCell(editor, code, session, { kernel, signal });
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

  private async runNewCell(
    editor: vscode.NotebookEditor,
    code: string,
    session: Session,
    { kernel, signal }: Pick<CellRunOptions, 'kernel' | 'signal'>,
  ): Promise<CodeRun> {
    const name = nameOf(editor.notebook);
    const cell = await addCell(editor, code);
    try {
      const isAgreed = await this.consent.isGiven({ session, notebook: name, code }, signal);
      if (!isAgreed || signal.aborted) {
        throw refusals.refused();
      }
      if (tabsWith(editor.notebook.uri).length === 0 || cell.index < 0) {
        throw refusals.cellGone(name);
      }
      const seconds = setting('notebook.timeout');
      const end = await execute(editor, cell, { kernel, signal, timeout: seconds * 1_000 });
      const failure = failureOf(end, hasErrorOutput(cell), seconds);
      return {
        outputs: toContent(cell.outputs, setting('notebook.outputLimit')),
        ...(failure === undefined ? {} : { failure }),
      };
    } finally {
      if (!hasStarted(cell) || !setting('notebook.keepCell')) {
        await removeCell(cell);
      }
    }
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
  options: CellRunOptions,
): Promise<Exclude<CellRunEnd, 'not started'>> {
  const end = await runCell(cell, options);
  if (end !== 'not started') {
    return end;
  }
  // The editor's own command offers kernels only for the notebook that has the focus, and says nothing of the choice.
  if (!(await selectKernel(editor, options.signal))) {
    throw refusals.noKernel(nameOf(cell.notebook));
  }
  const second = await runCell(cell, options);
  if (second === 'not started') {
    throw refusals.otherLanguage(nameOf(cell.notebook));
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

function nameOf({ uri }: vscode.NotebookDocument): string {
  return printable(basename(uri.path));
}
