import * as vscode from 'vscode';
import type { ToolCall } from '../server/session.ts';
import type { CodeRun } from '../tools/executeCode.ts';
import { type JupyterKernel, jupyterKernel } from './jupyter.ts';
import { runNewCell } from './newCell.ts';
import { refusals } from './notebookRefusals.ts';
import { isOpen, nameOf } from './notebookTabs.ts';
import { RunConsent } from './runConsent.ts';
import type { LoadQuestions } from './runQuestions.ts';

/** What is known of the window's notebooks. */
export interface KnownNotebooks {
  readonly editor: vscode.NotebookEditor | undefined;
  isRunning(cell: vscode.NotebookCell): boolean;
}

/** Runs code in a notebook, one piece at a time: a chunk of its own, as few ever need it. */
export class CodeRuns {
  private readonly consent: RunConsent;
  private isRunning = false;

  constructor(
    private readonly notebooks: KnownNotebooks,
    workspaceState: vscode.Memento,
    questions: LoadQuestions,
  ) {
    this.consent = new RunConsent(workspaceState, questions);
  }

  async run(code: string, call: ToolCall): Promise<CodeRun> {
    const { signal } = call;
    const { editor } = this.notebooks;
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
      await this.askUser(editor.notebook, code, call);
      this.checkKernel(editor.notebook, kernel); // again: the user may have run a cell meanwhile
      return await runNewCell(this.visible(editor), code, { kernel, signal });
    } finally {
      this.isRunning = false;
    }
  }

  /** Before anything of the code is in the notebook: that may be saved at any time, and stays if the window goes. */
  private async askUser(notebook: vscode.NotebookDocument, code: string, call: ToolCall): Promise<void> {
    const name = nameOf(notebook);
    const isAgreed = await this.consent.isGiven(name, code, call);
    if (!isAgreed || call.signal.aborted) {
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
    if (kernel?.status === 'busy' || notebook.getCells().some((cell) => this.notebooks.isRunning(cell))) {
      throw refusals.kernelBusy(nameOf(notebook));
    }
  }
}
