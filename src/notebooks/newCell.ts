import * as vscode from 'vscode';
import { withLf } from '../base/text.ts';
import { setting } from '../editor/settings.ts';
import { toContent } from '../tools/cellOutputs.ts';
import type { CodeRun } from '../tools/executeCode.ts';
import { type CellRunEnd, type CellRunOptions, closePicker, hasStarted, runCell } from './cellRun.ts';
import { failureOf, refusals } from './notebookRefusals.ts';
import { isOpen, nameOf } from './notebookTabs.ts';

/** Adds a cell with the code, runs it, and takes it away again if it has not run, or is not to stay. */
export async function runNewCell(
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
