import * as vscode from 'vscode';

/**
 * The part of the Jupyter extension's public API (its npm package @vscode/jupyter-extension 1.1) that we use. It has no
 * interrupt: the editor's own command does that.
 */
interface JupyterApi {
  readonly kernels?: {
    /** The kernel of an open notebook, once the user has run a cell on it. Older versions ask for access first. */
    getKernel(notebook: vscode.Uri): Thenable<JupyterKernel | undefined>;
  };
}

export interface JupyterKernel {
  readonly language: string;
  readonly status:
    'unknown' | 'starting' | 'idle' | 'busy' | 'terminating' | 'restarting' | 'autorestarting' | 'dead';
  readonly onDidChangeStatus: vscode.Event<JupyterKernel['status']>;
}

/** What the Jupyter extension knows of the notebook's kernel, if it is there and tells. */
export async function jupyterKernel(notebook: vscode.Uri): Promise<JupyterKernel | undefined> {
  const extension = vscode.extensions.getExtension<JupyterApi | undefined>('ms-toolsai.jupyter');
  if (!extension?.isActive) {
    return undefined;
  }
  try {
    return await extension.exports?.kernels?.getKernel(notebook);
  } catch {
    return undefined; // the user said no
  }
}
