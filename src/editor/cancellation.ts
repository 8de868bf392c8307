import * as vscode from 'vscode';

/** A token of the editor's that is cancelled as a signal of Node's is aborted. To be disposed of when the work has ended. */
export function tokenOf(
  signal: AbortSignal,
): vscode.Disposable & { readonly token: vscode.CancellationToken } {
  const source = new vscode.CancellationTokenSource();
  const cancel = () => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) {
    cancel();
  }
  return {
    token: source.token,
    dispose() {
      signal.removeEventListener('abort', cancel);
      source.dispose();
    },
  };
}
