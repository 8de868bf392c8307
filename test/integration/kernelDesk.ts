import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { TestJupyterApi } from '../fixtures/jupyter/extension.ts';
import type { TestKernelApi } from '../fixtures/kernel/extension.ts';
import { connectUi, type Ui } from '../support/ui.ts';
import { until } from '../support/until.ts';
import type { Scratch } from './bridge.ts';
import { ipynb } from './ipynb.ts';

/** A kernel takes its time to start on a busy machine; ms. */
const slow = 90_000;

/** An open notebook, the kernels that there are for it, and a hand on the keyboard. */
export class KernelDesk {
  private constructor(
    readonly kernels: TestKernelApi,
    readonly jupyter: TestJupyterApi,
    private readonly ui: Ui,
    private readonly notebookEditor: vscode.NotebookEditor,
  ) {}

  static async open(scratch: Scratch): Promise<KernelDesk> {
    const kernels = await activated<TestKernelApi>('ide-bridge-test.kernel');
    const jupyter = await activated<TestJupyterApi>('ms-toolsai.jupyter');
    const path = scratch.write('analysis.ipynb', ipynb(['x = 20']));
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path));
    const editor = await vscode.window.showNotebookDocument(notebook, { preview: false });
    return new KernelDesk(kernels, jupyter, await connectUi(), editor);
  }

  async select(id: string): Promise<void> {
    const { extension } = this.kernels;
    const { notebookEditor } = this;
    await vscode.commands.executeCommand('notebook.selectKernel', { notebookEditor, id, extension });
  }

  /** What the stand-in for the Jupyter extension says of the kernel. */
  grant(language: string, status: string): void {
    const onDidChangeStatus = new vscode.EventEmitter<string>().event;
    const uri = this.notebookEditor.notebook.uri.toString();
    this.jupyter.granted.set(uri, { language, status, onDidChangeStatus });
  }

  async question(): Promise<void> {
    await this.ui.page.getByText(/wants to run code in/).waitFor({ timeout: slow });
    await until('the keyboard in the quick pick', () =>
      this.ui.page.evaluate<boolean>('!!document.activeElement.closest(".quick-input-widget")'),
    );
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.ui.page.keyboard.press(key);
    }
  }

  /** Says yes to the question that belongs to `answer`, and waits for that. */
  async agree<T>(answer: Promise<T>): Promise<T> {
    await this.question();
    await this.press('ArrowDown', 'Enter');
    return answer;
  }

  /** Presses Escape until `answer` is there: the editor may show its kernel picker more than once. */
  async escapeKernelPicker<T>(answer: Promise<T>): Promise<T> {
    await this.ui.page
      .locator('.quick-input-widget:visible input[aria-label*="Select Kernel"]')
      .waitFor({ timeout: slow });
    const pressing = setInterval(() => void this.press('Escape'), 500);
    return answer.finally(() => clearInterval(pressing));
  }

  async close(): Promise<void> {
    this.jupyter.granted.clear();
    this.kernels.kill(this.notebookEditor.notebook.uri);
    await this.notebookEditor.notebook.save();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await this.ui.close();
  }
}

async function activated<T>(id: string): Promise<T> {
  const extension = vscode.extensions.getExtension<T>(id);
  assert.ok(extension, `the runner loads ${id}`);
  return extension.activate();
}
