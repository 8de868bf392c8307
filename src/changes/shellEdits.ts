import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Queue } from '../base/queue.ts';
import { Throttle } from '../base/throttle.ts';
import type { ChangeReview } from './changeReview.ts';
import type { Changes } from './changes.ts';
import type { ChangeSets } from './changeSets.ts';
import { WorkingTree } from './workingTree.ts';
import type { Git } from '../server/git.ts';
import type { Session } from '../server/session.ts';
import { setting } from '../editor/settings.ts';
import { watchWorkspaceFiles } from '../editor/workspaceFiles.ts';

/** ms without a call from any session after which what happens on disk is nobody's. */
const activeFor = 10 * 60_000;
/** ms that a burst of events has to end, and git to finish. */
const settleTime = 1_000;
/** ms for which what the user does in the editor, or in a terminal, explains what happens on disk. */
const ownEcho = 3_000;

export interface ShellClients {
  readonly sessions: ReadonlySet<Session>;
  readonly onDidUse: Event<Session>;
}

interface Command {
  readonly terminal: vscode.Terminal;
  /** ms since the epoch; infinite while it runs. */
  readonly startedAt: number;
  endedAt: number;
}

/**
 * Finds edits that no CLI announces: those of its shell commands. Nobody can tell for sure who wrote a file, so this
 * would rather miss one: it takes none that the user's saving, another terminal's command, git itself or an ignored
 * file explains, and only while a session is at work.
 */
export class ShellEdits implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly trees = new Map<string, WorkingTree>();
  /** Those that are to be noted, and are not yet: of many prompts that come meanwhile, once. */
  private readonly waiting = new Set<WorkingTree>();
  private readonly touched = new Set<string>();
  /** When the user last wrote it in the editor, ms since the epoch by path. */
  private readonly own = new Map<string, number>();
  private readonly commands = new Map<vscode.TerminalShellExecution, Command>();
  private readonly judge: Throttle;
  private readonly noted = new WeakSet<Session>();
  /** What is to be judged is judged before the trees are noted anew. */
  private readonly queue = new Queue();

  constructor(
    private readonly sets: ChangeSets,
    private readonly review: ChangeReview,
    private readonly changes: Changes,
    private readonly clients: ShellClients,
    onDidPrompt: vscode.Event<Session>,
    private readonly hasSession: (terminal: vscode.Terminal) => boolean,
    private readonly git: Git,
    private readonly log: Logger,
  ) {
    this.judge = this.store.add(new Throttle(settleTime, () => void this.queue.run(() => this.takeIn())));
    this.store.add(onDidPrompt((session) => this.noteTrees(session)));
    this.store.add(
      clients.onDidUse((session) => {
        if (!this.noted.has(session)) {
          this.noteTrees(session); // connected in the middle of a prompt, or not a CLI
        }
      }),
    );
    this.store.add(
      watchWorkspaceFiles(({ fsPath }) => {
        if (this.active && setting('changes.shellEdits')) {
          this.touched.add(fsPath);
          this.judge.schedule();
        }
      }),
    );
    this.watchUser();
    if (clients.sessions.size > 0) {
      this.note(); // they may have begun to work
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  private watchUser(): void {
    const explain = (path: string) => {
      this.own.set(path, Date.now());
      void this.queue.run(async () => this.treeOf(path)?.noteFile(path));
    };
    const wrote = (uris: readonly vscode.Uri[]) => uris.forEach(({ fsPath }) => explain(fsPath));
    const { workspace, window } = vscode;
    this.store.add(
      vscode.Disposable.from(
        this.sets.onDidForget((paths) => paths.forEach(explain)),
        workspace.onDidSaveTextDocument(({ uri }) => wrote([uri])),
        workspace.onDidSaveNotebookDocument(({ uri }) => wrote([uri])),
        workspace.onDidCreateFiles(({ files }) => wrote(files)),
        workspace.onDidDeleteFiles(({ files }) => wrote(files)),
        workspace.onDidRenameFiles(({ files }) =>
          wrote(files.flatMap(({ oldUri, newUri }) => [oldUri, newUri])),
        ),
        window.onDidStartTerminalShellExecution(({ execution, terminal }) =>
          this.commands.set(execution, { terminal, startedAt: Date.now(), endedAt: Infinity }),
        ),
        window.onDidCloseTerminal((closed) => {
          for (const [execution, { terminal }] of this.commands) {
            if (terminal === closed) {
              this.commands.delete(execution); // nothing tells its end
            }
          }
        }),
        window.onDidEndTerminalShellExecution(({ execution }) => {
          const command = this.commands.get(execution);
          if (command) {
            command.endedAt = Date.now();
          }
        }),
      ),
    );
  }

  /** The session that is at work, as far as one can tell: the one that called last. */
  private get active(): Session | undefined {
    const [last] = [...this.clients.sessions].sort((a, b) => b.lastUsed - a.lastUsed);
    return last && Date.now() - last.lastUsed < activeFor ? last : undefined;
  }

  private noteTrees(session: Session): void {
    this.noted.add(session);
    this.note();
  }

  private note(): void {
    if (!setting('changes.shellEdits')) {
      return;
    }
    this.judge.flush();
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      const tree = this.trees.get(uri.fsPath) ?? new WorkingTree(uri.fsPath, this.git);
      this.trees.set(uri.fsPath, tree);
      if (!this.waiting.has(tree)) {
        this.waiting.add(tree);
        void this.queue.run(() => {
          this.waiting.delete(tree);
          return tree.note();
        });
      }
    }
  }

  private treeOf(path: string): WorkingTree | undefined {
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
    return folder && this.trees.get(folder.uri.fsPath);
  }

  private async takeIn(): Promise<void> {
    const paths = [...this.touched].filter((path) => !this.isExplained(path));
    this.touched.clear();
    for (const [path, time] of this.own) {
      if (Date.now() - time > ownEcho) {
        this.own.delete(path);
      }
    }
    const byTree = new Map<WorkingTree, string[]>();
    for (const path of paths) {
      const tree = this.treeOf(path);
      if (tree) {
        byTree.set(tree, [...(byTree.get(tree) ?? []), path]);
      }
    }
    const session = this.active;
    if (!session || this.isUserBusy(session)) {
      byTree.forEach((touched, tree) => tree.doubt(touched));
      return;
    }
    for (const [tree, touched] of byTree) {
      const isFollowed = (path: string) => this.review.isFollowed(path);
      for (const { path, bytes, mode, source } of await tree.before(touched, isFollowed)) {
        try {
          if (!this.isExplained(path)) {
            this.review.found(session, path, { bytes, mode }, source);
          }
        } catch (error) {
          this.log.warn(`${path} cannot be kept: ${errorMessage(error)}`);
        }
      }
      await this.changes.refresh(new Set(touched));
    }
  }

  private isExplained(path: string): boolean {
    return Date.now() - (this.own.get(path) ?? 0) < ownEcho || this.review.isFollowed(path);
  }

  /** A CLI is the one command of its terminal, and began before its session; what runs elsewhere later is the user's. */
  private isUserBusy(session: Session): boolean {
    const since = Date.now() - ownEcho;
    for (const [execution, { endedAt }] of this.commands) {
      if (endedAt < since) {
        this.commands.delete(execution);
      }
    }
    return [...this.commands.values()].some(
      ({ startedAt, terminal }) => startedAt > session.connectedAt && !this.hasSession(terminal),
    );
  }
}
