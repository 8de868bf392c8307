import { spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { Throttle } from '../base/throttle.ts';

/** Asks Git, in the background, which files it ignores. */
export class GitIgnored implements vscode.Disposable {
  private known = new Map<string, boolean>();
  private asked = new Set<string>();
  private readonly learned = new vscode.EventEmitter<void>();
  private readonly throttle = new Throttle(20, () => void this.ask());
  private readonly watcher = vscode.workspace.createFileSystemWatcher('**/.gitignore');

  /** More is known, or what was known is no longer true. */
  readonly onDidLearn = this.learned.event;

  constructor() {
    const forget = () => {
      this.known = new Map();
      this.learned.fire();
    };
    this.watcher.onDidChange(forget);
    this.watcher.onDidCreate(forget);
    this.watcher.onDidDelete(forget);
  }

  /** Undefined while it is not known; then `onDidLearn` follows. */
  isIgnored(path: string): boolean | undefined {
    const known = this.known.get(path);
    if (known === undefined) {
      this.asked.add(path);
      this.throttle.schedule();
    }
    return known;
  }

  dispose(): void {
    vscode.Disposable.from(this.throttle, this.watcher, this.learned).dispose();
  }

  private async ask(): Promise<void> {
    const { known, asked } = this;
    this.asked = new Set();
    // By folder: each may be in a repository of its own, or in none.
    for (const folder of new Set([...asked].map((path) => dirname(path)))) {
      const paths = [...asked].filter((path) => dirname(path) === folder);
      const ignored = await checkIgnore(
        folder,
        paths.map((path) => basename(path)),
      );
      paths.forEach((path) => known.set(path, ignored.has(basename(path))));
    }
    this.learned.fire();
  }
}

/** Empty outside of a repository, and where there is no Git. */
function checkIgnore(folder: string, names: readonly string[]): Promise<Set<string>> {
  return new Promise((resolve) => {
    let output = '';
    const git = spawn('git', ['-C', folder, 'check-ignore', '-z', '--stdin'], {
      cwd: dirname(process.execPath), // Windows looks there for git first: not among the user's files
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    git.on('error', () => resolve(new Set()));
    git.on('close', () => resolve(new Set(output.split('\0'))));
    git.stdout.setEncoding('utf8').on('data', (data: string) => (output += data));
    git.stdin.on('error', () => {}); // 'close' follows
    git.stdin.end(names.map((name) => `${name}\0`).join(''));
  });
}
