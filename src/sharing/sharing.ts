import * as vscode from 'vscode';
import { ExclusionPatterns } from './exclusionPatterns.ts';
import type { GitIgnored } from './gitIgnored.ts';
import { ownPages } from '../editor/schemes.ts';
import { onDidChangeSetting, setting } from '../editor/settings.ts';
import { folded } from '../server/isAt.ts';

/** `off` is a setting and lasts; `paused` is for this window, until it is resumed. */
export type SharingState = 'on' | 'paused' | 'off';

interface Rules {
  readonly isEnabled: boolean;
  readonly patterns: ExclusionPatterns;
  readonly excludesGitIgnored: boolean;
}

const paused = 'sharingPaused';

/** The one place that decides which files a client may hear of: whatever tells of a file asks here. */
export class Sharing implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;
  /** Read once for all files: each look at a setting costs. What is known of paths goes with them. */
  private rules: Rules | undefined;

  /** What may be shared is another. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly gitIgnored: GitIgnored,
    private readonly memento: vscode.Memento,
  ) {
    this.subscriptions = vscode.Disposable.from(
      this.changed,
      gitIgnored.onDidLearn(() => this.changed.fire()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.forgetRules()),
      onDidChangeSetting('share', () => this.forgetRules()),
    );
  }

  get state(): SharingState {
    if (!vscode.workspace.isTrusted || !this.current.isEnabled) {
      return 'off';
    }
    return this.memento.get(paused, false) ? 'paused' : 'on';
  }

  /** What tools say while nothing is shared; undefined while something is. */
  get refusal(): string | undefined {
    const { state } = this;
    return state === 'on'
      ? undefined
      : `Sharing is ${state} in this editor window, so its tools tell nothing.`;
  }

  /** Globs of what is never shared. */
  get patterns(): readonly string[] {
    return this.current.patterns.texts;
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
    const pattern = this.current.patterns.of(uri.fsPath, (globs) => matches(uri, globs));
    if (pattern !== undefined) {
      return `excluded by "${pattern}" in ideBridge.share.exclude`;
    }
    if (!this.current.excludesGitIgnored || uri.scheme === 'untitled') {
      return undefined;
    }
    switch (this.gitIgnored.isIgnored(uri.fsPath)) {
      case true:
        return 'ignored by Git';
      case false:
        return undefined;
      case undefined: // stays here until it is known
        return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(uri.fsPath))
          ? 'possibly ignored by Git'
          : 'possibly ignored by Git, which is asked within the workspace only';
    }
  }

  /** Has Git tell, if it can, what `exclusion` needs to know of these files. */
  async learn(paths: readonly string[]): Promise<void> {
    if (this.current.excludesGitIgnored) {
      await this.gitIgnored.learn(paths);
    }
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private get current(): Rules {
    return (this.rules ??= {
      isEnabled: setting('share.enabled'),
      patterns: new ExclusionPatterns(setting('share.exclude')),
      excludesGitIgnored: setting('share.excludeGitIgnored'),
    });
  }

  private forgetRules(): void {
    this.rules = undefined;
    this.changed.fire();
  }
}

/** By the editor's own globs, which look at `fsPath` alone. */
function matches(uri: vscode.Uri, globs: readonly string[]): boolean {
  const file = { uri: uri.with({ path: folded(uri.path) }), languageId: '' } as vscode.TextDocument;
  return globs.some((pattern) => vscode.languages.match({ pattern }, file) > 0);
}
