import { dirname, sep } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Queue } from '../base/queue.ts';
import { Throttle } from '../base/throttle.ts';
import type { ChangeReview } from './changeReview.ts';
import type { Changes } from './changes.ts';
import type { ChangeSets } from './changeSets.ts';
import { followMoves } from './changeWatcher.ts';
import { lstatOf, maxFiles } from './notedFiles.ts';
import { runsCommands, ShellWindows, whoseAt } from './shellWindows.ts';
import { WorkingTree } from './workingTree.ts';
import type { RecordEvent } from '../records/events.ts';
import type { RecordedSession } from '../records/recordedSession.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { Git } from '../server/git.ts';
import type { Session } from '../server/session.ts';
import { setting } from '../editor/settings.ts';
import { watchWorkspaceFiles } from '../editor/workspaceFiles.ts';

/** ms that a burst of events has to end, and git to finish. */
const settleTime = 1_000;
/** ms by which a transcript, or the file watcher, may be behind what happens, on a busy machine. */
const lag = 2_000;
/** ms for which git is waited for where it writes whenever it is asked. */
const patience = 30_000;
/** Of more files the user's own writing is not remembered. */
const maxOwn = 1_000;

interface ShellEditsOptions {
  readonly sets: ChangeSets;
  readonly review: ChangeReview;
  readonly changes: Changes;
  readonly sessions: ReadonlySet<Session>;
  readonly records: Pick<SessionRecords, 'of' | 'stateOf' | 'onDidChange'>;
  /** As the CLI says on the wire, which is before it writes it down. */
  readonly onDidPrompt: vscode.Event<Session>;
  readonly git: Git;
  readonly log: Logger;
}

/** Not judged yet. All times in ms since the epoch. */
interface Touched {
  /** When the watcher told of it last. */
  readonly told: number;
  /** When it was first changed; undefined where that is explained. */
  readonly first: number | undefined;
}

interface Followed {
  readonly windows: ShellWindows;
  readonly recorded: RecordedSession | undefined;
  readonly subscription: Disposable | undefined;
}

/**
 * Finds edits that no CLI announces: those of its shell commands. What has come on disk while one ran, by the record of its
 * session, is that session's, but for what the user has saved in the editor; all else is nobody's. Without a record
 * nothing is found.
 */
export class ShellEdits implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly trees = new Map<string, WorkingTree>();
  /** Those that are to be noted, and are not yet: of many prompts that come meanwhile, once. */
  private readonly waiting = new Set<WorkingTree>();
  /** By path. */
  private readonly touched = new Map<string, Touched>();
  /** What the user has made of it in the editor, the last comes last. See `stampOf`. */
  private readonly own = new Map<string, string>();
  /** What the editor is saving, by path, since when: it may tell that it has after the watcher tells of it. */
  private readonly saving = new Map<string, number>();
  private readonly followed = new Map<Session, Followed>();
  private readonly judge: Throttle;
  /** What is to be judged is judged before the trees are noted anew. */
  private readonly queue = new Queue();

  constructor(private readonly options: ShellEditsOptions) {
    const { records, sessions, onDidPrompt } = options;
    this.judge = this.store.add(new Throttle(settleTime, () => void this.queue.run(() => this.takeIn())));
    this.store.add(onDidPrompt(() => this.note()));
    this.store.add(records.onDidChange((session) => this.follow(session)));
    this.store.add(
      watchWorkspaceFiles(({ fsPath }) => {
        if (isGits(fsPath) || !setting('changes.shellEdits')) {
          return;
        }
        if (this.isAtWork()) {
          this.touch(fsPath);
          this.judge.schedule();
        } else if (!this.isExplained(fsPath)) {
          this.treeOf(fsPath)?.doubt(fsPath);
        }
      }),
    );
    this.store.add(
      // When it comes again, what is there is not compared with what was there: nobody has watched meanwhile.
      vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) =>
        removed.forEach(({ uri }) => this.trees.delete(uri.fsPath)),
      ),
    );
    this.watchUser();
    sessions.forEach((session) => this.follow(session));
  }

  dispose(): void {
    this.followed.forEach(({ subscription }) => subscription?.dispose());
    this.store.dispose();
  }

  /** Those of which a file was there before another was put in its place, as far as is known. */
  async thereBefore(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const there: string[] = [];
    for (const tree of new Set(paths.map((path) => this.treeOf(path)))) {
      there.push(...((await tree?.thereBefore(paths.filter((path) => this.treeOf(path) === tree))) ?? []));
    }
    return new Set(there);
  }

  private watchUser(): void {
    const explain = (path: string) => {
      this.touched.delete(path);
      this.saving.delete(path);
      this.own.delete(path);
      this.own.set(path, stampOf(path));
      const [oldest] = this.own.keys();
      if (this.own.size > maxOwn && oldest !== undefined) {
        this.own.delete(oldest);
      }
      void this.queue.run(async () => this.treeOf(path)?.noteFile(path));
    };
    const wrote = (uris: readonly vscode.Uri[]) => uris.forEach(({ fsPath }) => explain(fsPath));
    const { workspace } = vscode;
    this.store.add(
      vscode.Disposable.from(
        this.options.sets.onDidForget((paths) => paths.forEach(explain)),
        workspace.onWillSaveTextDocument(({ document }) => this.saving.set(document.uri.fsPath, Date.now())),
        workspace.onDidSaveTextDocument(({ uri }) => wrote([uri])),
        workspace.onDidSaveNotebookDocument(({ uri }) => wrote([uri])),
        workspace.onDidCreateFiles(({ files }) => wrote(files)),
        workspace.onDidDeleteFiles(({ files }) => wrote(files)),
        workspace.onDidRenameFiles(({ files }) =>
          wrote(files.flatMap(({ oldUri, newUri }) => [oldUri, newUri])),
        ),
      ),
    );
  }

  private touch(path: string): void {
    const told = Date.now();
    const known = this.touched.get(path)?.first;
    const isKept = known !== undefined && this.treeOf(path)?.isNotedSince(known) !== true;
    const first = isKept ? known : this.isExplained(path) ? undefined : timeOf(path, told);
    this.touched.set(path, { told, first });
  }

  private follow(session: Session): void {
    const known = this.followed.get(session);
    const recorded = this.options.records.of(session);
    if (recorded === known?.recorded) {
      return;
    }
    known?.subscription?.dispose();
    const windows = known?.windows ?? new ShellWindows();
    if (recorded) {
      windows.catchUp(recorded);
    } else {
      windows.close();
    }
    const subscription = recorded?.onDidHappen((event) => {
      windows.take(event, recorded);
      this.hear(event);
    });
    this.followed.set(session, { windows, recorded, subscription });
    this.judge.schedule();
    if (!known) {
      this.note(); // it may have begun to work
    }
  }

  private hear(event: RecordEvent): void {
    if (event.type === 'toolEnded' && runsCommands(event.result.use.name)) {
      this.judge.schedule(); // what has waited for its end
    } else if (event.type === 'prompt' && !event.isTyped) {
      this.note(); // of the others the wire tells
    }
  }

  /** Whether it may be by a command. Of a CLI without a session file nobody can tell: its transcript is behind. */
  private isAtWork(): boolean {
    const since = Date.now() - lag;
    return [...this.followed].some(([session, { recorded, windows }]) => {
      const state = this.options.records.stateOf(session);
      const isIdle = !recorded || (state?.status === 'idle' && state.since < since);
      return !isIdle || windows.hasRunSince(since);
    });
  }

  private note(): void {
    if (!setting('changes.shellEdits') || this.followed.size === 0) {
      return;
    }
    this.judge.flush();
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      const tree = this.trees.get(uri.fsPath) ?? new WorkingTree(uri.fsPath, this.options.git);
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
    const touched = new Map(this.touched);
    this.touched.clear();
    await Promise.allSettled([...this.followed.values()].map(async ({ recorded }) => recorded?.refresh()));
    await this.takeInFolders(touched);
    const found = new Map<WorkingTree, Map<string, readonly Session[]>>();
    for (const [path, { told, first }] of touched) {
      if (this.isBeingSaved(path)) {
        this.putBack(path, { told, first });
        this.judge.schedule();
        continue;
      }
      const tree = this.treeOf(path);
      const last = tree && !this.isExplained(path) ? timeOf(path, told) : undefined;
      if (!tree || last === undefined) {
        continue;
      }
      // The watcher may tell after the prompt of what came before it, and is noted.
      const isNoted = first === undefined || tree.isNotedSince(first);
      const authors = this.authorsOf(isNoted ? last : first, last);
      const isEarly = authors?.length === 0 && Date.now() - told < lag;
      if (authors && authors.length > 0) {
        found.set(tree, (found.get(tree) ?? new Map<string, readonly Session[]>()).set(path, authors));
      } else if (authors && !isEarly) {
        // What was told of it before it was noted is noted, also if it has gone since: its folder tells of that.
        if (!tree.isNotedAfter(told)) {
          tree.doubt(path);
        }
      } else {
        this.putBack(path, { told, first });
      }
      if (isEarly) {
        this.judge.schedule();
      }
    }
    for (const [tree, authors] of found) {
      if (!(await this.list(tree, authors))) {
        const since = Date.now() - patience;
        [...authors.keys()].forEach((path) => {
          const known = touched.get(path);
          if (known && known.told > since) {
            this.putBack(path, known);
            this.judge.schedule();
          }
        });
      }
    }
    for (const [session, { recorded, windows }] of this.followed) {
      if (!recorded && !windows.hasRunSince(Date.now() - lag)) {
        this.followed.delete(session);
      }
    }
  }

  /** Of what comes into a folder just after that is made, or comes with it, the watcher tells nothing. */
  private async takeInFolders(touched: Map<string, Touched>): Promise<void> {
    const { changes, review } = this.options;
    const isBelow = (path: string) => !this.trees.has(path); // what comes into the workspace's own is told
    const folders = [...touched.keys()].filter((path) => isBelow(path) && lstatOf(path)?.isDirectory());
    for (const tree of new Set(folders.map((folder) => this.treeOf(folder)))) {
      const its = new Set(folders.filter((folder) => this.treeOf(folder) === tree));
      const files = (await tree?.filesIn(its)) ?? new Map<string, boolean>();
      const paths = [...files.keys()];
      const there = new Set(paths.filter((path) => files.get(path)));
      await followMoves(changes, review, paths, () => there);
      const told = Date.now();
      for (const path of paths.filter((each) => !touched.has(each))) {
        if (touched.size >= maxFiles) {
          break; // of more none would be found
        }
        touched.set(path, { told, first: this.isExplained(path) ? undefined : timeOf(path, told) });
      }
    }
  }

  /** It is to be judged later, together with what was told of it meanwhile. */
  private putBack(path: string, { told, first }: Touched): void {
    const later = this.touched.get(path);
    this.touched.set(path, { told: later?.told ?? told, first: first ?? later?.first });
  }

  /** None of what somebody else has written first, and a command after that: what it was in between nobody knows. */
  private authorsOf(first: number, last: number): readonly Session[] | undefined {
    const authors = whoseAt(first, this.followed);
    return authors && authors.length > 0 ? whoseAt(last, this.followed) : authors;
  }

  /** @returns whether it could be seen what there was: not while git writes */
  private async list(tree: WorkingTree, authors: ReadonlyMap<string, readonly Session[]>): Promise<boolean> {
    const { review, changes, log } = this.options;
    const isFollowed = (path: string) => review.isFollowed(path);
    const found = await tree.before([...authors.keys()], isFollowed);
    if (!found) {
      return false;
    }
    for (const { path, bytes, mode, source } of found) {
      const [author, ...others] = ofItOrFolder(path, authors);
      try {
        if (author && !this.isExplained(path)) {
          review.found(author, path, { bytes, mode }, source, others);
        }
      } catch (error) {
        log.warn(`${path} cannot be kept: ${errorMessage(error)}`);
      }
    }
    await changes.refresh(new Set(found.map(({ path }) => path)));
    return true;
  }

  /** A save that fails is not told: it is not waited for longer than git. */
  private isBeingSaved(path: string): boolean {
    const isOver = Date.now() - (this.saving.get(path) ?? 0) > patience;
    if (isOver) {
      this.saving.delete(path);
    }
    return !isOver;
  }

  /** By an announcement, or by what the user has done in the editor. */
  private isExplained(path: string): boolean {
    return this.options.review.isFollowed(path) || this.own.get(path) === stampOf(path);
  }
}

/** What git itself writes is no work of anybody's. */
function isGits(path: string): boolean {
  return path.split(sep).includes('.git');
}

/** What is known of the path, or of the folder that has gone with it. */
function ofItOrFolder<T>(path: string, known: ReadonlyMap<string, readonly T[]>): readonly T[] {
  const parent = dirname(path);
  return known.get(path) ?? (parent === path ? [] : ofItOrFolder(parent, known));
}

/** Another one whenever somebody has written the file, or made it anew: nobody can set back that time. */
function stampOf(path: string): string {
  const { ctimeMs, ino, size } = lstatOf(path) ?? {};
  return `${ctimeMs}:${ino}:${size}`;
}

/**
 * When the file was last changed, in ms since the epoch; undefined for a folder. When one has gone its folder tells, unless
 * that was changed later: then not later than the watcher has told.
 */
function timeOf(path: string, told: number): number | undefined {
  const found = lstatOf(path);
  if (found) {
    return found.isDirectory() ? undefined : Math.floor(found.ctimeMs); // as the CLI tells times, without fractions
  }
  return Math.min(told, folderTime(dirname(path)));
}

function folderTime(folder: string): number {
  const parent = dirname(folder);
  const found = lstatOf(folder);
  return found || parent === folder ? (found?.mtimeMs ?? Infinity) : folderTime(parent);
}
