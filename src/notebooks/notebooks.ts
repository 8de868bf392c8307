import * as vscode from 'vscode';
import type { ToolCall } from '../server/session.ts';
import type { CodeRun, CodeRunner } from '../tools/executeCode.ts';
import type { CodeRuns, KnownNotebooks } from './codeRuns.ts';
import type { LoadQuestions } from './runQuestions.ts';

/** Runs a session's code in the notebook that the user works in, on the notebook's own kernel. */
export class Notebooks implements CodeRunner, KnownNotebooks, vscode.Disposable {
  private readonly runningCells = new WeakSet<vscode.NotebookCell>();
  private lastEditor = vscode.window.activeNotebookEditor;
  private codeRuns: CodeRuns | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly workspaceState: vscode.Memento,
    private readonly questions: LoadQuestions,
  ) {
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

  async run(code: string, call: ToolCall): Promise<CodeRun> {
    const { CodeRuns } = await import('./codeRuns.ts');
    this.codeRuns ??= new CodeRuns(this, this.workspaceState, this.questions);
    return this.codeRuns.run(code, call);
  }

  /** The notebook that is in front, or was before the focus went to a terminal in the editor area. */
  get editor(): vscode.NotebookEditor | undefined {
    const { activeNotebookEditor, visibleNotebookEditors } = vscode.window;
    return (
      activeNotebookEditor ??
      visibleNotebookEditors.find((editor) => editor === this.lastEditor) ??
      visibleNotebookEditors[0]
    );
  }

  isRunning(cell: vscode.NotebookCell): boolean {
    return this.runningCells.has(cell);
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
