import * as vscode from 'vscode';
import type { GitIgnored } from './gitIgnored.ts';
import { ownPages } from './schemes.ts';
import { setting } from './settings.ts';

/** `off` is a setting and lasts; `paused` is for this window, until it is resumed. */
export type SharingState = 'on' | 'paused' | 'off';

const paused = 'sharingPaused';

/** The one place that decides which files a client may hear of: whatever tells of a file asks here. */
export class Sharing implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;

  /** What may be shared is another. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly gitIgnored: GitIgnored,
    private readonly memento: vscode.Memento,
  ) {
    this.subscriptions = vscode.Disposable.from(
      this.changed,
      gitIgnored.onDidLearn(() => this.changed.fire()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('ideBridge.share')) {
          this.changed.fire();
        }
      }),
    );
  }

  get state(): SharingState {
    if (!vscode.workspace.isTrusted || !isEnabled()) {
      return 'off';
    }
    return this.memento.get(paused, false) ? 'paused' : 'on';
  }

  async pause(value: boolean): Promise<void> {
    await this.memento.update(paused, value || undefined);
    this.changed.fire();
  }

  /** Whether a client may hear of this file, or of a version of it, by itself. */
  allows(uri: vscode.Uri): boolean {
    return this.state === 'on' && !ownPages.includes(uri.scheme) && this.exclusion(uri) === undefined;
  }

  /** Why this file stays here whatever the state, in words for the user; undefined if it does not. */
  exclusion(uri: vscode.Uri): string | undefined {
    const pattern = excludedPatterns().find((candidate) => matches(uri, candidate));
    if (pattern !== undefined) {
      return `excluded by "${pattern}" in ideBridge.share.exclude`;
    }
    if (!setting('share.excludeGitIgnored') || uri.scheme === 'untitled') {
      return undefined;
    }
    // What is not known yet stays here until it is.
    const isIgnored = this.gitIgnored.isIgnored(uri.fsPath);
    return isIgnored === false ? undefined : `${isIgnored ? '' : 'possibly '}ignored by Git`;
  }

  /** Has Git tell, if it can, what `exclusion` needs to know of these files. */
  async learn(paths: readonly string[]): Promise<void> {
    if (setting('share.excludeGitIgnored')) {
      await this.gitIgnored.learn(paths);
    }
  }

  dispose(): void {
    this.subscriptions.dispose();
  }
}

/** A workspace can switch off what the user has on, never the other way round. */
function isEnabled(): boolean {
  const { defaultValue, globalValue, workspaceValue } = inspect<boolean>('share.enabled');
  return (globalValue ?? defaultValue ?? true) && (workspaceValue ?? true);
}

/** A workspace can add to the user's patterns, never take from them. */
export function excludedPatterns(): string[] {
  const { defaultValue, globalValue, workspaceValue } = inspect<string[]>('share.exclude');
  return [...(globalValue ?? defaultValue ?? []), ...(workspaceValue ?? [])];
}

function inspect<T>(name: string): {
  readonly defaultValue?: T;
  readonly globalValue?: T;
  readonly workspaceValue?: T;
} {
  return vscode.workspace.getConfiguration('ideBridge').inspect<T>(name) ?? {};
}

/** The editor's own globs; a pattern matches at any depth, and a folder's stands for what is in it. */
function matches(uri: vscode.Uri, pattern: string): boolean {
  const path = pattern.replace(/\/$/, '');
  const anywhere = /^(\*\*\/|\/|[A-Za-z]:)/.test(path) ? path : `**/${path}`;
  const file = { uri, languageId: '' } as vscode.TextDocument;
  return [anywhere, `${anywhere}/**`].some((glob) => vscode.languages.match({ pattern: glob }, file) > 0);
}
