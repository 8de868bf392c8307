import * as vscode from 'vscode';

interface GitExports {
  readonly enabled: boolean;
  getAPI(version: 1): {
    readonly state: 'uninitialized' | 'initialized';
    readonly onDidChangeState: vscode.Event<string>;
  };
}

/** Once the editor's own Git has told of its repositories, or is not there, off or broken. */
export async function gitReady(): Promise<void> {
  try {
    const git = await vscode.extensions.getExtension<GitExports>('vscode.git')?.activate();
    const api = git?.enabled ? git.getAPI(1) : undefined;
    if (api?.state === 'uninitialized') {
      await new Promise<void>((resolve) => {
        const subscription = api.onDidChangeState(() => {
          subscription.dispose();
          resolve();
        });
      });
    }
  } catch {
    // It tells of none, then.
  }
}
