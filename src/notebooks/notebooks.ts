import * as vscode from 'vscode';
import type { Session } from '../server/session.ts';
import type { CodeRun, CodeRunner } from '../tools/executeCode.ts';
import { type JupyterKernel, jupyterKernel } from './jupyter.ts';
import { refusals } from './notebookRefusals.ts';
import { isOpen, nameOf } from './notebookTabs.ts';
import { RunConsent } from './runConsent.ts';
import type { RunQuestions } from './runQuestions.ts';

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
      const { runNewCell } = await import('./newCell.ts');
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
