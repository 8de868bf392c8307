import * as vscode from 'vscode';

/** The part of the Jupyter extension's public API (its npm package @vscode/jupyter-extension 1.1) that we use. */
interface JupyterApi {
  readonly kernels?: {
    /** The kernel that runs for a notebook, once the user has granted access. */
    getKernel(notebook: vscode.Uri): Thenable<JupyterKernel | undefined>;
  };
}

export interface JupyterKernel {
  readonly language: string;
  readonly status:
    'unknown' | 'starting' | 'idle' | 'busy' | 'terminating' | 'restarting' | 'autorestarting' | 'dead';
  readonly onDidChangeStatus: vscode.Event<JupyterKernel['status']>;
}

/** What the Jupyter extension knows of the notebook's kernel; undefined without it, or without access to it. */
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
