import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import { describe } from '../changes/changes.ts';
import { hashOf } from '../changes/snapshotFiles.ts';
import { isAt } from '../server/isAt.ts';
import { fileUris, isRegularFile } from '../editor/paths.ts';
import { isSame, linesBetween, openDocument } from '../editor/documents.ts';
import { proposalScheme } from '../editor/schemes.ts';
import { watchWorkspaceFiles } from '../editor/workspaceFiles.ts';
import type { Memory } from '../mentions/mentions.ts';
import type { Proposals } from '../proposals/proposals.ts';
import { clamped, findLines, followEdit, type Lines, linesOfText, replaces } from './anchor.ts';
import { ReviewComment } from './reviewComment.ts';
import { rememberedThreads, type SavedThread } from './saved.ts';

/** As many lines are kept to find them again. */
const maxQuoted = 100;
/** ms after which a thread goes of which all was sent. */
const maxAge = 14 * 24 * 60 * 60 * 1000;

/** ms in which what is told of a move outside of the editor comes: that the one is gone, and the other there. */
const moving = 100;
/** Of more at once, as of an installation, none is looked for under another name. */
const maxChanged = 200;

/** Where the user has written about some lines, in the editor that shows them. */
export class Thread {
  /** Its lines in a proposal that is decided, until the file has what was proposed. */
  inProposal: Lines | undefined;
  /** Whether its file was deleted, as far as the window is told. */
  isFileGone = false;
  /** See `describe`: of its file, when that was last there. */
  stamp: string | undefined;
  /** Whether its lines were looked for in all of the text, and stood nowhere. */
  isLost = false;

  constructor(
    public shown: vscode.CommentThread,
    /** Absolute, of the file. */
    public path: string,
    public quoted: readonly string[],
    public comments: readonly ReviewComment[],
    public isResolved = false,
    /** See `SavedThread`. */
    readonly author?: number,
    readonly begun?: number,
    public rest?: string,
  ) {}

  get lines(): Lines {
    const { range } = this.shown as { range: vscode.Range | undefined };
    return { start: range?.start.line ?? 0, end: range?.end.line ?? 0 };
  }

  /** Whether these lines stand there as they are quoted; undefined where the file is not open. */
  get isAsQuoted(): boolean | undefined {
    const document = openDocument(this.shown.uri);
    return document && this.standsIn(document, this.lines);
  }

  /** Whether they stand there as they are quoted. */
  standsIn(document: vscode.TextDocument, { start }: Lines): boolean {
    return this.quoted.every(
      (line, index) => start + index < document.lineCount && document.lineAt(start + index).text === line,
    );
  }

  /** Whether all of them do, and no others among them. */
  standsWhole(document: vscode.TextDocument): boolean {
    const { lines, quoted, rest } = this;
    return (
      rest === restOf(document, lines) &&
      (rest !== undefined || lines.end - lines.start + 1 === quoted.length) &&
      this.standsIn(document, lines)
    );
  }

  /** @returns undefined for what is gone, or no text */
  async open(): Promise<vscode.TextDocument | undefined> {
    try {
      return await vscode.workspace.openTextDocument(this.shown.uri);
    } catch {
      return undefined;
    }
  }

  get saved(): SavedThread {
    const { path, lines, quoted, isResolved, comments, author, begun, rest } = this;
    return {
      path,
      lines,
      quoted,
      isResolved,
      comments: comments.map(({ saved }) => saved),
      ...(author !== undefined && { author }),
      ...(begun !== undefined && { begun }),
      ...(rest !== undefined && { rest }),
    };
  }
}

/** The threads of this window. They follow their lines, and survive a reload. */
export class Threads implements Disposable {
  private threads: Thread[] = [];
  private readonly store = new DisposableStore();
  /** Of lines that move while the user types. */
  private readonly saving = this.store.add(new Throttle(250, () => this.save()));
  /** Files and folders that have come, changed or gone. */
  private readonly changedPaths = new Set<string>();
  private readonly followingMoves = this.store.add(
    new Throttle(moving, () => {
      const paths = [...this.changedPaths];
      this.changedPaths.clear();
      void this.followMoves(paths);
    }),
  );

  constructor(
    private readonly controller: vscode.CommentController,
    private readonly proposals: Proposals,
    private readonly memory: Memory,
    private readonly authorOf: (uri: vscode.Uri) => number | undefined,
  ) {
    const isOld = ({ comments }: SavedThread) =>
      comments.every(({ sent }) => sent !== undefined && sent.at < Date.now() - maxAge);
    const remembered = memory.get<SavedThread[]>(rememberedThreads, []);
    for (const { path, lines, quoted, isResolved, comments, author, begun, rest } of remembered.filter(
      (thread) => !isOld(thread),
    )) {
      const shown = this.create(vscode.Uri.file(path), lines);
      const thread = new Thread(
        shown,
        path,
        quoted,
        comments.map((comment) => new ReviewComment(comment)),
        isResolved,
        author,
        begun,
        rest,
      );
      thread.isFileGone = !isRegularFile(path);
      this.threads.push(thread);
      this.find(thread);
      this.show(thread);
      void stampOf(thread);
    }
    const { workspace } = vscode;
    this.store.add(workspace.onDidChangeTextDocument((event) => this.follow(event)));
    this.store.add(
      workspace.onDidOpenTextDocument(({ uri }) => {
        this.of(uri).forEach((thread) => this.find(thread));
      }),
    );
    this.store.add(workspace.onDidRenameFiles(({ files }) => this.rename(files)));
    this.store.add(watchWorkspaceFiles(({ fsPath }) => this.touched(fsPath)));
    this.store.add(proposals.onDidChange(() => this.leaveProposals()));
  }

  get all(): readonly Thread[] {
    return this.threads;
  }

  of(uri: vscode.Uri): Thread[] {
    return this.threads.filter(({ shown }) => isSame(shown.uri, uri));
  }

  with(comment: ReviewComment): Thread | undefined {
    return this.threads.find(({ comments }) => comments.includes(comment));
  }

  /** What the user has written into a thread of the editor's, which may be a new one. */
  add(shown: vscode.CommentThread, text: string): void {
    let thread = this.threads.find((each) => each.shown === shown);
    if (!thread) {
      const { uri } = shown;
      const path = this.proposals.find(uri)?.filePath ?? uri.fsPath;
      thread = new Thread(shown, path, [], [], false, this.authorOf(uri), Date.now());
      const { lines } = thread;
      const document = openDocument(uri);
      if (document) {
        const past = Math.min(lines.end + 1, lines.start + maxQuoted, document.lineCount);
        thread.quoted = linesBetween(document, lines.start, past);
        thread.rest = restOf(document, lines);
      }
      this.threads.push(thread);
      void stampOf(thread);
    }
    thread.isResolved = false;
    thread.comments = [...thread.comments, new ReviewComment({ text })];
    this.changed(thread);
  }

  /** One without comments goes. */
  remove(thread: Thread, isMeant: (comment: ReviewComment) => boolean): void {
    thread.comments = thread.comments.filter((comment) => !isMeant(comment));
    if (thread.comments.length > 0) {
      this.changed(thread);
      return;
    }
    this.threads = this.threads.filter((each) => each !== thread);
    thread.shown.dispose();
    this.save();
  }

  /** Those comments of all threads have become others. */
  change(
    isMeant: (comment: ReviewComment) => boolean,
    to: Partial<Pick<ReviewComment, 'review' | 'sent'>>,
  ): void {
    for (const thread of this.threads) {
      const comments = thread.comments.filter(isMeant);
      if (comments.length > 0) {
        comments.forEach((comment) => Object.assign(comment, to));
        this.changed(thread);
      }
    }
  }

  /** Something of it has become another. Kept at once: the window may end at any moment. */
  changed(thread: Thread): void {
    if (this.threads.includes(thread)) {
      this.show(thread);
      this.save();
    }
  }

  dispose(): void {
    this.saving.flush();
    this.store.dispose();
  }

  private create(uri: vscode.Uri, { start, end }: Lines): vscode.CommentThread {
    const thread = this.controller.createCommentThread(uri, new vscode.Range(start, 0, end, 0), []);
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
    return thread;
  }

  private show(thread: Thread): void {
    const { shown, comments, isResolved } = thread;
    const { Resolved, Unresolved } = vscode.CommentThreadState;
    shown.comments = comments;
    shown.contextValue = isResolved ? 'resolved' : 'open';
    shown.state = isResolved ? Resolved : Unresolved;
    this.label(thread);
  }

  private label(thread: Thread, isChanged = thread.isAsQuoted === false): void {
    const { shown } = thread;
    const isOpen = thread.comments.some((comment) => comment.isOpen);
    const label = thread.isFileGone
      ? 'The file is gone'
      : isChanged
        ? 'These lines have changed since, or are gone'
        : isOpen
          ? 'For the next review'
          : 'Comment';
    if (shown.label !== label) {
      shown.label = label;
    }
  }

  private move({ shown }: Thread, { start, end }: Lines): void {
    const { range } = shown as { range: vscode.Range | undefined };
    if (range?.start.line !== start || range.end.line !== end) {
      shown.range = new vscode.Range(start, 0, end, 0);
      this.saving.schedule();
    }
  }

  private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const threads = contentChanges.length > 0 ? this.of(document.uri) : [];
    if (threads.length === 0) {
      return;
    }
    const mayBringBack = contentChanges.some(({ text }) => /[\r\n]/.test(text));
    for (const thread of threads) {
      let isReplaced = thread.inProposal !== undefined || (thread.isLost && mayBringBack);
      let lines = thread.inProposal ?? thread.lines;
      if (!thread.inProposal) {
        for (const change of contentChanges) {
          isReplaced ||= replaces(change, lines);
          lines = followEdit(lines, change);
        }
      }
      this.place(thread, document, lines, isReplaced);
    }
  }

  /** As it is opened, after it may have changed on the disk. */
  find(thread: Thread): void {
    const document = openDocument(thread.shown.uri);
    if (document && document.uri.scheme !== proposalScheme) {
      this.place(thread, document, thread.inProposal ?? thread.lines, true);
    }
  }

  private touched(path: string): void {
    this.lookAt(path);
    if (this.threads.length > 0 && this.changedPaths.size < maxChanged) {
      this.changedPaths.add(path);
      this.followingMoves.schedule();
    }
  }

  /** Those of which the file was moved outside of the editor, and not written since, go with it. */
  private async followMoves(changed: readonly string[]): Promise<void> {
    for (const thread of this.threads.filter(({ isFileGone }) => isFileGone)) {
      const { path, stamp } = thread;
      // Of what is in a folder that has gone or come the watcher may tell nothing.
      const ends = changed.filter((from) => isAt(path, from)).map((from) => path.slice(from.length));
      const places = changed.flatMap((to) => [...ends.map((end) => to + end), join(to, basename(path))]);
      for (const place of stamp === undefined ? [] : places) {
        if ((await stampAt(place)) === stamp && thread.isFileGone) {
          this.moveTo(thread, place);
        }
      }
    }
  }

  /** A file, or a folder with all that is in it, has come, changed or gone. */
  lookAt(fileOrFolder: string): void {
    for (const thread of this.threads.filter(({ path }) => isAt(path, fileOrFolder))) {
      // Of a proposal for a new file there is none yet.
      thread.isFileGone = thread.shown.uri.scheme !== proposalScheme && !isRegularFile(thread.path);
      this.label(thread);
      void stampOf(thread);
    }
  }

  /** @param mayBeElsewhere lines that an edit has not replaced are where they are, also if they read otherwise now */
  private place(thread: Thread, document: vscode.TextDocument, lines: Lines, mayBeElsewhere: boolean): void {
    const isThere = thread.standsIn(document, lines);
    const found =
      isThere || !mayBeElsewhere ? lines : findLines(linesOfText(document.getText()), lines, thread.quoted);
    thread.isLost = mayBeElsewhere ? found === undefined : thread.isLost && !isThere;
    if (found && thread.inProposal) {
      thread.inProposal = undefined; // it was written
    }
    this.move(thread, found ?? clamped(lines, document.lineCount));
    this.label(thread, !isThere && (found === undefined || found === lines));
  }

  /** To the file, once a proposal is decided. Before it is written, equal lines in it are others. */
  private leaveProposals(): void {
    for (const thread of this.threads) {
      const { uri } = thread.shown;
      if (uri.scheme === proposalScheme && !this.proposals.find(uri)) {
        thread.inProposal = thread.lines;
        this.moveTo(thread, thread.path);
      }
    }
  }

  private rename(files: readonly { oldUri: vscode.Uri; newUri: vscode.Uri }[]): void {
    for (const { oldUri, newUri } of files) {
      for (const thread of this.threads) {
        const { path } = thread;
        if (isAt(path, oldUri.fsPath)) {
          const to = newUri.fsPath + path.slice(oldUri.fsPath.length);
          if (thread.shown.uri.scheme === proposalScheme) {
            thread.path = to;
          } else {
            this.moveTo(thread, to);
          }
        }
      }
    }
  }

  /** The editor has no other document for a thread that is there. */
  private moveTo(thread: Thread, path: string): void {
    const { collapsibleState } = thread.shown;
    const uri = fileUris(path)[0] ?? vscode.Uri.file(path);
    const shown = this.create(uri, clamped(thread.lines, openDocument(uri)?.lineCount ?? Infinity));
    shown.collapsibleState = collapsibleState;
    thread.shown.dispose();
    thread.shown = shown;
    thread.path = path;
    thread.isFileGone = false;
    if (!thread.inProposal) {
      this.find(thread);
    }
    this.changed(thread);
  }

  private save(): void {
    const all = this.threads.map(({ saved }) => saved);
    void this.memory.update(rememberedThreads, all.length > 0 ? all : undefined);
  }
}

/** See `Thread.stamp`. */
async function stampOf(thread: Thread): Promise<void> {
  thread.stamp = (await stampAt(thread.path)) ?? thread.stamp;
}

/** Undefined where there is none, or none that can be looked at. */
async function stampAt(path: string): Promise<string | undefined> {
  const { stamp } = await describe(path).catch(() => ({ stamp: 'none' }));
  return stamp === 'none' ? undefined : stamp;
}

/** Of lines that are not quoted, see `SavedThread`; undefined where all are. */
function restOf(document: vscode.TextDocument, { start, end }: Lines): string | undefined {
  const lines = linesBetween(document, start + maxQuoted, Math.min(end + 1, document.lineCount));
  return lines.length > 0 ? hashOf(Buffer.from(lines.join('\n'))) : undefined;
}
