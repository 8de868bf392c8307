import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import { isSame } from '../editor/documents.ts';
import { linesOf } from '../editor/linesOf.ts';
import { proposalScheme } from '../editor/schemes.ts';
import type { Memory } from '../mentions/mentions.ts';
import type { WaitingReasons } from '../mentions/waitingReasons.ts';
import { clamped } from './anchor.ts';
import type { ReviewComment } from './reviewComment.ts';
import { suggestionIn } from './reviewText.ts';
import { authorAt, type SendingDependencies, sendReview } from './sendReview.ts';
import { type Thread, Threads } from './threads.ts';

export interface CommentsDependencies extends SendingDependencies {
  memory: Memory;
  waiting: WaitingReasons;
}

/** ms in which the editor has drawn where comments may be made, once it has asked for that. */
const drawing = 150;
/** ms for which that is waited for. */
const patience = 3_000;

/**
 * Comments on lines, in the editor's own way. They may be made where something waits for review, and elsewhere after the
 * user has asked for it once: a + beside each line of all files would be in the way.
 */
export class Comments implements Disposable, vscode.CommentingRangeProvider {
  readonly commands = {
    addComment: async (reply?: vscode.CommentReply) => {
      this.add(reply);
      // The editor takes the input away, and leaves the focus on nothing.
      await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
    },
    editComment: (comment: ReviewComment) => this.with(comment, () => comment.edit()),
    saveComment: (comment: ReviewComment) =>
      this.with(comment, (thread) => {
        if (comment.save()) {
          thread.isResolved = false; // as by a new comment: it is to be sent
          this.recall([comment]);
          comment.review = undefined; // also of one that is just being given
        }
      }),
    cancelComment: (comment: ReviewComment) => this.with(comment, () => comment.cancel()),
    deleteComment: (comment: ReviewComment) =>
      this.with(comment, (thread) => {
        this.recall([comment]);
        this.threads.remove(thread, (each) => each === comment);
      }),
    applySuggestion: (comment: ReviewComment) => this.with(comment, (thread) => apply(thread, comment)),
    resolveComments: (thread: vscode.CommentThread) => this.setResolved(thread, true),
    reopenComments: (thread: vscode.CommentThread) => this.setResolved(thread, false),
    commentOnLines: (...where: unknown[]) => this.commentOn(...where),
    sendReview: (reply?: vscode.CommentReply) => this.send(reply),
    removeSentComments: () => this.removeSent(),
  };
  private readonly store = new DisposableStore();
  private readonly controller: vscode.CommentController;
  private readonly threads: Threads;
  /** Files in which the user has asked for a comment. */
  private readonly wanted = new Set<string>();
  private readonly asked = new vscode.EventEmitter<vscode.Uri>();
  /** Of reviews that are being given to their session. */
  private readonly onTheWay = new Set<string>();
  private changedPaths = '';
  private isSending = false;

  constructor(private readonly dependencies: CommentsDependencies) {
    const { proposals, changes, memory, waiting } = dependencies;
    this.controller = this.store.add(
      vscode.comments.createCommentController('ideBridge.review', 'Comments for Claude Code'),
    );
    this.controller.options = { placeHolder: 'What should be otherwise?', prompt: 'Comment for Claude Code' };
    this.threads = this.store.add(
      new Threads(this.controller, proposals, memory, (uri) => authorAt(dependencies, uri)),
    );
    this.store.add(this.asked);
    const look = this.store.add(new Throttle(100, () => this.lookAgain()));
    this.store.add(changes.onDidChange(() => look.schedule()));
    this.store.add(proposals.onDidChange(() => look.schedule()));
    this.store.add(
      waiting.onDidPaste(({ review, label }) => {
        if (review !== undefined) {
          this.settle(({ review: of }) => of === review, { to: label, at: Date.now() });
        }
      }),
    );
    this.store.add(waiting.onDidChange(() => this.giveBack()));
    this.giveBack();
    this.controller.commentingRangeProvider = this;
  }

  provideCommentingRanges(document: vscode.TextDocument): vscode.Range[] {
    const { uri } = document;
    if (uri.scheme !== 'file' && uri.scheme !== proposalScheme) {
      return [];
    }
    this.asked.fire(uri);
    return this.mayComment(uri) ? [new vscode.Range(0, 0, Math.max(0, document.lineCount - 1), 0)] : [];
  }

  /** What stands in the input of a thread; nothing where no menu calls it. */
  private add(reply?: Partial<vscode.CommentReply>): void {
    const text = reply?.text?.trim() ?? '';
    if (reply?.thread && text !== '') {
      this.threads.add(reply.thread, text);
    }
  }

  /** What waits for a prompt with these is not what the user wants to say any more; the others are to be sent again. */
  private recall(comments: readonly ReviewComment[]): void {
    const { waiting } = this.dependencies;
    for (const reason of waiting.all.filter(
      ({ review }) => review !== undefined && comments.some((each) => each.review === review),
    )) {
      waiting.remove(reason);
    }
  }

  private setResolved(shown: vscode.CommentThread, isResolved: boolean): void {
    for (const thread of this.threads.all.filter((each) => each.shown === shown)) {
      thread.isResolved = isResolved;
      this.recall(thread.comments);
      this.threads.changed(thread);
    }
  }

  /** From a lens, which names the lines (0-based, the last one included), or about what is selected. */
  private async commentOn(...[argument, start, end]: unknown[]): Promise<void> {
    const named = argument instanceof vscode.Uri ? argument : undefined;
    const { activeTextEditor: active, visibleTextEditors } = vscode.window;
    const isNamed = ({ document }: vscode.TextEditor) => !named || isSame(document.uri, named);
    const editor =
      active && isNamed(active) ? active : visibleTextEditors.find((each) => named && isNamed(each));
    const uri = editor?.document.uri;
    if (!editor || !uri || (uri.scheme !== 'file' && uri.scheme !== proposalScheme)) {
      void vscode.window.showInformationMessage('Comments are for lines of files: open one first.');
      return;
    }
    if (!this.mayComment(uri)) {
      await this.want(uri);
    }
    const { lineStart, lineEnd } =
      typeof start === 'number' && typeof end === 'number'
        ? { lineStart: start, lineEnd: end }
        : linesOf(editor.selection);
    const last = clamped({ start: lineStart, end: lineEnd }, editor.document.lineCount);
    const range = new vscode.Range(last.start, 0, last.end, editor.document.lineAt(last.end).text.length);
    editor.selection = new vscode.Selection(range.start, range.end);
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup'); // it is about the one with the focus
    keepInputInView(editor, range);
    await vscode.commands.executeCommand('workbench.action.addComment', {
      range: {
        startLineNumber: last.start + 1,
        startColumn: 1,
        endLineNumber: last.end + 1,
        endColumn: range.end.character + 1,
      },
    });
  }

  /** @param reply what stands in the input goes with it: the editor empties that */
  private async send(reply?: vscode.CommentReply): Promise<void> {
    this.add(reply);
    if (this.isSending) {
      return;
    }
    this.isSending = true;
    try {
      await sendReview(
        {
          ...this.dependencies,
          reasons: async () => {
            const reasons = await this.dependencies.reasons();
            return { review: (...args) => this.onItsWay(args[2].id, () => reasons.review(...args)) };
          },
        },
        this.threads,
      );
    } finally {
      this.isSending = false;
    }
  }

  private removeSent(): void {
    for (const thread of [...this.threads.all]) {
      this.threads.remove(thread, ({ sent }) => sent !== undefined || thread.isResolved);
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  private async with(comment: ReviewComment, act: (thread: Thread) => unknown): Promise<void> {
    const thread = this.threads.with(comment);
    if (thread) {
      await act(thread);
      this.threads.changed(thread);
    }
  }

  private mayComment(uri: vscode.Uri): boolean {
    const { proposals, changes } = this.dependencies;
    if (uri.scheme === proposalScheme) {
      return proposals.find(uri) !== undefined;
    }
    return (
      this.wanted.has(uri.fsPath) || changes.ofPath(uri.fsPath).length > 0 || this.threads.of(uri).length > 0
    );
  }

  /** Until the editor has drawn it. */
  private async want(uri: vscode.Uri): Promise<void> {
    this.wanted.add(uri.fsPath);
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        subscription.dispose();
        resolve();
      };
      const subscription = this.asked.event(
        (of) => of.toString() === uri.toString() && setTimeout(done, drawing),
      );
      const timer = setTimeout(done, patience);
      this.controller.commentingRangeProvider = this; // which has the editor ask again
    });
  }

  /** Where something has come to wait for review, or does no more. */
  private lookAgain(): void {
    const { proposals, changes } = this.dependencies;
    const paths = [
      ...changes.all.map(({ snapshot: { path } }) => path),
      ...proposals.all.map(({ uri }) => uri.toString()),
    ].join('\n');
    if (paths !== this.changedPaths) {
      this.changedPaths = paths;
      this.controller.commentingRangeProvider = this;
    }
  }

  private async onItsWay<T>(review: string, give: () => Promise<T>): Promise<T> {
    this.onTheWay.add(review);
    try {
      return await give();
    } finally {
      this.onTheWay.delete(review);
      this.giveBack();
    }
  }

  /** To the user, who has discarded what waited, or has it on the clipboard. */
  private giveBack(): void {
    const waiting = new Set(this.dependencies.waiting.all.map(({ review }) => review));
    this.settle(
      ({ review }) => review !== undefined && !waiting.has(review) && !this.onTheWay.has(review),
      undefined,
    );
  }

  private settle(isMeant: (comment: ReviewComment) => boolean, sent: ReviewComment['sent']): void {
    this.threads.change(isMeant, { review: undefined, sent });
  }
}

/**
 * The input for more lines than fit opens below the last one, while the editor shows the first ones. When it does, it does not
 * tell: it goes there from the last one.
 */
function keepInputInView(editor: vscode.TextEditor, { start, end }: vscode.Range): void {
  const [seen] = editor.visibleRanges;
  if (!seen || end.line - start.line < seen.end.line - seen.start.line) {
    return;
  }
  const { InCenterIfOutsideViewport } = vscode.TextEditorRevealType;
  const reveal = () => {
    editor.revealRange(new vscode.Range(end, end), InCenterIfOutsideViewport);
  };
  const subscription = vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
    if (textEditor === editor && visibleRanges.every((range) => range.end.line < end.line)) {
      stop();
      reveal();
    }
  });
  const stop = () => {
    clearTimeout(timer);
    subscription.dispose();
  };
  const timer = setTimeout(stop, patience);
  reveal();
}

/** Puts what the comment suggests in the place of its lines, as an edit that can be undone. */
async function apply(thread: Thread, comment: ReviewComment): Promise<void> {
  const suggestion = suggestionIn(comment.saved.text);
  const document = await thread.open();
  const { lines } = thread;
  if (suggestion === undefined || !document || !thread.standsWhole(document)) {
    void vscode.window.showWarningMessage(
      'Nothing was applied: the lines of the comment do not stand there any more.',
    );
    return;
  }
  const edit = new vscode.WorkspaceEdit();
  const all =
    suggestion.length === 0
      ? new vscode.Range(lines.start, 0, lines.end + 1, 0) // no line at all
      : new vscode.Range(lines.start, 0, lines.end, Infinity);
  edit.replace(document.uri, document.validateRange(all), suggestion.join('\n'));
  if (await vscode.workspace.applyEdit(edit)) {
    vscode.window.setStatusBarMessage('Applied, and not saved yet. Undo takes it back.', 5_000);
  } else {
    void vscode.window.showWarningMessage('Nothing was applied: the editor has refused the edit. Try again.');
  }
}
