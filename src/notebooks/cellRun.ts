import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import { DisposableStore, toDisposable } from '../base/disposable.ts';
import type { JupyterKernel } from './jupyter.ts';
import { tabsWith } from '../editor/tabContent.ts';

export type CellRunEnd =
  | 'succeeded'
  | 'failed'
  /** The editor had no kernel for it: none is selected, or it does not speak the cell's language. */
  | 'not started'
  | 'without verdict'
  | 'notebook closed'
  | 'cell removed'
  | 'kernel died'
  | 'timeout'
  | 'cancelled';

export interface CellRunOptions {
  /** In ms; 0 for none. */
  timeout: number;
  /** Interrupts the kernel, as the timeout does. */
  signal: AbortSignal;
  kernel: JupyterKernel | undefined;
}

/** For a kernel to say how the run ended, in ms: after the editor's command has, and after the first interrupt. */
const grace = { command: 1_000, interrupt: 30_000 };
/** In ms: a kernel that only starts does not hear the first interrupt; code that tidies up is given this time. */
const interruptInterval = 5_000;

/** Runs a cell on the notebook's own kernel, by the editor's command, and sees in the cell how it ends. */
export async function runCell(cell: vscode.NotebookCell, options: CellRunOptions): Promise<CellRunEnd> {
  const run = new CellRun(cell, options);
  try {
    return await run.end();
  } finally {
    run.dispose();
  }
}

class CellRun implements vscode.Disposable {
  private readonly outcome = new Deferred<CellRunEnd>();
  private readonly store = new DisposableStore();
  private interruptedBy: 'timeout' | 'cancelled' | undefined;

  constructor(
    private readonly cell: vscode.NotebookCell,
    { timeout, signal, kernel }: CellRunOptions,
  ) {
    this.followNotebook();
    if (kernel) {
      this.store.add(kernel.onDidChangeStatus((status) => this.followKernel(status)));
    }
    if (timeout > 0) {
      this.after(timeout, () => this.interrupt('timeout'));
    }
    const cancel = () => this.interrupt('cancelled');
    signal.addEventListener('abort', cancel, { once: true });
    this.store.add(toDisposable(() => signal.removeEventListener('abort', cancel)));
    if (hasStarted(cell)) {
      this.settleByVerdict(); // the user was quicker, and it shall not run twice
    } else {
      this.execute();
    }
  }

  end(): Promise<CellRunEnd> {
    return this.outcome.promise;
  }

  dispose(): void {
    this.store.dispose();
  }

  private followNotebook(): void {
    const { cell } = this;
    const isClosed = () => tabsWith(cell.notebook.uri).length === 0;
    this.store.add(
      vscode.workspace.onDidChangeNotebookDocument(({ contentChanges, cellChanges }) => {
        if (contentChanges.some(({ removedCells }) => removedCells.includes(cell))) {
          this.outcome.settle('cell removed');
        } else if (cellChanges.some((change) => change.cell === cell)) {
          this.settleByVerdict();
        }
      }),
    );
    this.store.add(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.length > 0 && isClosed()) {
          // A tab that moves to another group or window closes and opens again.
          this.after(100, () => isClosed() && this.outcome.settle('notebook closed'));
        }
      }),
    );
  }

  private followKernel(status: JupyterKernel['status']): void {
    if (['terminating', 'restarting', 'autorestarting', 'dead'].includes(status)) {
      this.outcome.settle('kernel died');
    }
  }

  private settleByVerdict(): void {
    const success = this.cell.executionSummary?.success;
    if (typeof success === 'boolean') {
      this.outcome.settle(this.interruptedBy ?? (success ? 'succeeded' : 'failed'));
    }
  }

  /** Most kernels have ended the run when the command returns; some then say nothing of its success. */
  private execute(): void {
    const end = () =>
      this.after(grace.command, () =>
        this.outcome.settle(
          hasStarted(this.cell) ? 'without verdict' : (this.interruptedBy ?? 'not started'),
        ),
      );
    vscode.commands.executeCommand('notebook.cell.execute', target(this.cell)).then(end, end);
  }

  private interrupt(reason: 'timeout' | 'cancelled'): void {
    if (this.interruptedBy) {
      return;
    }
    this.interruptedBy = reason;
    const interrupt = () => {
      if (!hasStarted(this.cell)) {
        void closePicker();
      }
      void vscode.commands.executeCommand('notebook.cell.cancelExecution', target(this.cell));
    };
    interrupt();
    const timer = setInterval(interrupt, interruptInterval);
    this.store.add(toDisposable(() => clearInterval(timer)));
    this.after(grace.interrupt, () => this.outcome.settle(reason));
  }

  private after(ms: number, action: () => void): void {
    const timer = setTimeout(action, ms);
    this.store.add(toDisposable(() => clearTimeout(timer)));
  }
}

/** Whether a kernel has begun to run it: one that only starts leaves no sign in the cell. */
export function hasStarted({ executionSummary, outputs }: vscode.NotebookCell): boolean {
  const { executionOrder, success } = executionSummary ?? {};
  return typeof executionOrder === 'number' || typeof success === 'boolean' || outputs.length > 0;
}

/** Takes back the choice of a kernel: until it is made the editor's commands do not return. */
export async function closePicker(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
}

function target({ index, notebook }: vscode.NotebookCell): object {
  return { ranges: [{ start: index, end: index + 1 }], document: notebook.uri };
}
