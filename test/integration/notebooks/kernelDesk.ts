import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { refuse, VirtualFiles } from '../../../src/editor/virtualFiles.ts';
import type { TestJupyterApi } from '../../fixtures/jupyter/extension.ts';
import type { TestKernelApi } from '../../fixtures/kernel/extension.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import type { Ui } from '../../support/ui.ts';
import type { Scratch } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { ipynb } from './ipynb.ts';

/** A kernel takes its time to start on a busy machine; ms. */
export const slow = 90_000;

/** Notebooks, the kernels that there are for them, and a hand on the keyboard for what is asked about them. */
export class KernelDesk {
  private readOnly: vscode.Disposable | undefined;

  private constructor(
    readonly kernels: TestKernelApi,
    readonly jupyter: TestJupyterApi,
    private readonly ui: Ui,
  ) {}

  static async with(ui: Ui): Promise<KernelDesk> {
    const kernels = await activated<TestKernelApi>('ide-bridge-test.kernel');
    return new KernelDesk(kernels, await activated<TestJupyterApi>('ms-toolsai.jupyter'), ui);
  }

  /** Opens a new notebook of one cell, `x = 20`. */
  async openNotebook(
    scratch: Scratch,
    name = 'analysis.ipynb',
    kernel?: string,
  ): Promise<vscode.NotebookEditor> {
    const path = scratch.write(name, ipynb(['x = 20']));
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path));
    const editor = await vscode.window.showNotebookDocument(notebook, { preview: false });
    if (kernel !== undefined) {
      await this.select(editor, kernel);
    }
    return editor;
  }

  /** Opens a notebook that is in a file system to which nothing can be written, until `clear`. */
  async openReadOnly(): Promise<vscode.NotebookEditor> {
    const files = new ReadOnlyFiles(Buffer.from(ipynb(['x = 20'])));
    this.readOnly = vscode.workspace.registerFileSystemProvider('frozen', files, { isReadonly: true });
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.parse('frozen:/frozen.ipynb'));
    return vscode.window.showNotebookDocument(notebook, { preview: false });
  }

  async select(notebookEditor: vscode.NotebookEditor, id: string): Promise<void> {
    const { extension } = this.kernels;
    await vscode.commands.executeCommand('notebook.selectKernel', { notebookEditor, id, extension });
  }

  /** Lets the stand-in for the Jupyter extension tell of the kernel; its status changes by the emitter. */
  grant({ notebook }: vscode.NotebookEditor, language: string, status: string): vscode.EventEmitter<string> {
    const changed = new vscode.EventEmitter<string>();
    this.jupyter.granted.set(notebook.uri.toString(), { language, status, onDidChangeStatus: changed.event });
    return changed;
  }

  async question(): Promise<void> {
    await this.asked.waitFor({ timeout: slow });
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.ui.page.keyboard.press(key);
    }
  }

  /**
   * Says yes, once, to code that `client` wants to run in this workspace, so that nothing is asked as long as the
   * setting stays: what becomes of the code is the same as after each question, and needs no wait for one.
   */
  async agreeForWorkspace(client: IdeClient, scratch: Scratch): Promise<void> {
    await configure('notebook.confirm', 'workspace');
    await this.openNotebook(scratch, 'agreed.ipynb', this.kernels.python);
    await this.agree(client.call('executeCode', { code: 'pass' }));
    await this.clear();
  }

  /** Says yes to the question that comes before `answer`, and waits for that. */
  async agree<T>(answer: Promise<T>): Promise<T> {
    await this.question();
    await this.sayYes();
    return answer;
  }

  /** To the question that is asked, with the mouse. */
  async sayYes(): Promise<void> {
    await this.answer('Run');
  }

  async sayNo(): Promise<void> {
    await this.answer('Refuse');
  }

  /** Waits until the question that is asked can be answered with yes. */
  async isConsidered(): Promise<void> {
    await this.ui.page.locator('.codelens-decoration a').filter({ hasText: 'Run' }).waitFor();
  }

  private async answer(title: string): Promise<void> {
    const lenses = this.ui.page.locator('.codelens-decoration a');
    await lenses.filter({ hasText: title }).click({ timeout: slow });
    // It goes when the extension has heard of it; until then the next `question` would take it for the next one.
    await this.asked.waitFor({ state: 'hidden', timeout: slow });
  }

  private get asked(): ReturnType<Ui['page']['getByText']> {
    return this.ui.page.locator('.codelens-decoration').filter({ hasText: /wants to run this code in/ });
  }

  /** The editor's own. */
  async kernelPicker(): Promise<void> {
    await this.ui.page
      .locator('.quick-input-widget:visible')
      .filter({ hasText: /Test (Kernel|R|Python)/ })
      .waitFor({ timeout: slow });
  }

  /** Presses Escape until `answer` is there: the editor may ask more than once. */
  async escape<T>(answer: Promise<T>): Promise<T> {
    const pressing = setInterval(() => void this.press('Escape'), 500);
    return answer.finally(() => clearInterval(pressing));
  }

  /** Leaves all kernels to the next test, and closes all editors. */
  async clear(): Promise<void> {
    this.jupyter.granted.clear();
    for (const notebook of vscode.workspace.notebookDocuments) {
      this.kernels.release(notebook.uri);
      if (notebook.isDirty) await notebook.save();
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    this.readOnly?.dispose();
  }
}

/** Has one text, whatever the file. */
class ReadOnlyFiles extends VirtualFiles {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
  readonly writeFile = refuse;

  constructor(private readonly content: Uint8Array) {
    super();
  }

  stat(): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.content.length };
  }

  readFile(): Uint8Array {
    return this.content;
  }
}

async function activated<T>(id: string): Promise<T> {
  const extension = vscode.extensions.getExtension<T>(id);
  assert.ok(extension, `the runner loads ${id}`);
  return extension.activate();
}
