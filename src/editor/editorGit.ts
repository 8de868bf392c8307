import * as vscode from 'vscode';

/** What is used of the API of the editor's own Git (version 1). */
export interface GitApi {
  readonly state: 'uninitialized' | 'initialized';
  readonly onDidChangeState: vscode.Event<string>;
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: vscode.Event<GitRepository>;
  /** The one in which that is; undefined: none. */
  getRepository(uri: vscode.Uri): GitRepository | null | undefined;
  /** A document with the text that a file has there. @param ref for example `HEAD` */
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
}

export interface GitChange {
  readonly uri: vscode.Uri;
  readonly status: number;
}

export interface GitRepository {
  readonly rootUri: vscode.Uri;
  /** Puts files into the index, as they are on disk; those that are gone are taken out. @param paths absolute */
  add(paths: string[]): Promise<void>;
  /** Looks at all files now, for `state`. */
  status(): Promise<void>;
  readonly state: {
    readonly HEAD: { readonly name?: string; readonly commit?: string } | undefined;
    readonly onDidChange: vscode.Event<void>;
    readonly indexChanges: readonly GitChange[];
    readonly mergeChanges: readonly GitChange[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly untrackedChanges?: readonly GitChange[];
  };
}

interface GitExports {
  readonly enabled: boolean;
  getAPI(version: 1): GitApi;
}

/** Undefined where it is off, or not installed. @throws when it is broken */
export async function editorGit(): Promise<GitApi | undefined> {
  const git = await vscode.extensions.getExtension<GitExports>('vscode.git')?.activate();
  return git?.enabled ? git.getAPI(1) : undefined;
}
