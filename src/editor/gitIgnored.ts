import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { Throttle } from '../base/throttle.ts';
import type { Git } from '../server/git.ts';
import { checkIgnore } from './checkIgnore.ts';
import { isInWorkspace } from './workspaceFolders.ts';

/**
 * Asks Git, in the background, which files it ignores. Only of the workspace, which the user trusts: Git reads what a
 * repository elsewhere says, and be it one that lies where a link of the workspace leads.
 */
export class GitIgnored implements vscode.Disposable {
  private known = new Map<string, boolean>();
  private asked = new Set<string>();
  private readonly learned = new vscode.EventEmitter<void>();
  private readonly throttle = new Throttle(20, () => void this.ask());
  private readonly watcher = vscode.workspace.createFileSystemWatcher('**/.gitignore');

  /** More is known, or what was known is no longer true. */
  readonly onDidLearn = this.learned.event;

  constructor(private readonly git: Git) {
    const forget = () => {
      this.known = new Map();
      this.learned.fire();
    };
    this.watcher.onDidChange(forget);
    this.watcher.onDidCreate(forget);
    this.watcher.onDidDelete(forget);
  }

  /**
   * Undefined while it is not known; then `onDidLearn` follows, unless Git fails or may not be asked: that is tried again
   * the next time.
   */
  isIgnored(path: string): boolean | undefined {
    const known = this.known.get(path);
    if (known === undefined) {
      this.asked.add(path);
      this.throttle.schedule();
    }
    return known;
  }

  /** Asks of those that are not known yet, and resolves when Git has answered or failed. */
  async learn(paths: readonly string[]): Promise<void> {
    // What is learned while a .gitignore changes is forgotten at once.
    for (let before; before !== this.known;) {
      before = this.known;
      paths.forEach((path) => this.isIgnored(path));
      await this.ask();
    }
  }

  dispose(): void {
    vscode.Disposable.from(this.throttle, this.watcher, this.learned).dispose();
  }

  private async ask(): Promise<void> {
    const { known, asked } = this;
    this.asked = new Set();
    let hasLearned = false;
    // By folder: each may be in a repository of its own, or in none.
    for (const folder of new Set([...asked].map((path) => dirname(path)))) {
      const paths = [...asked].filter((path) => dirname(path) === folder);
      const names = paths.map((path) => basename(path));
      const place = await realpath(folder).catch(() => undefined);
      const mayAsk = place !== undefined && isInWorkspace(place);
      const ignored = mayAsk ? await checkIgnore(this.git, place, names) : undefined;
      if (ignored) {
        paths.forEach((path) => known.set(path, ignored.has(basename(path))));
        hasLearned = true;
      }
    }
    // Whoever hears of it asks again: where nothing can be learned, that would never end.
    if (hasLearned) {
      this.learned.fire();
    }
  }
}
