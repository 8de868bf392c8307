import { randomUUID } from 'node:crypto';
import { basename, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { pasteableLines } from '../base/pasteable.ts';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import type { Changes } from '../changes/changes.ts';
import type { Reasons } from '../mentions/reasons.ts';
import type { Proposal } from '../proposals/proposal.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Proposer } from '../server/proposer.ts';
import { realPath } from '../server/realPath.ts';
import { Session } from '../server/session.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import type { ReviewComment } from './reviewComment.ts';
import { reviewText } from './reviewText.ts';
import type { Thread, Threads } from './threads.ts';

export interface SendingDependencies {
  bridge: Bridge;
  proposals: Proposals;
  changes: Changes;
  records: Pick<SessionRecords, 'of'>;
  sessionTerminals: Pick<SessionTerminals, 'folderOf'>;
  /** What gives a text to a CLI whose prompt may not be there. */
  reasons: () => Promise<Pick<Reasons, 'review'>>;
}

/** Whom the user may send a review to, where nothing says who has changed the lines. */
interface Choice extends vscode.QuickPickItem {
  readonly to: Session | 'clipboard';
}

const openComments = ({ comments }: Thread) => comments.filter(({ isOpen }) => isOpen);

/** Gives all comments that are not sent yet to the sessions that they are for. */
export async function sendReview(dependencies: SendingDependencies, threads: Threads): Promise<void> {
  const open = threads.all.filter(isOpen);
  if (open.length === 0) {
    void vscode.window.showInformationMessage(
      'There is no comment to send. Press + beside a line that an agent has changed, or run “Comment on Lines”.',
    );
    return;
  }
  const groups = new Map<Proposer | undefined, Thread[]>();
  for (const thread of open) {
    const author = authorOf(dependencies, thread);
    groups.set(author, [...(groups.get(author) ?? []), thread]);
  }
  const left: Left[] = [];
  let isFirst = true;
  for (const [author, ofAuthor] of groups) {
    const to = author ?? (await choose(dependencies, ofAuthor));
    const still = ofAuthor.filter((thread) => threads.all.includes(thread) && isOpen(thread));
    if (to && still.length > 0) {
      const failed = await sendTo(dependencies, threads, to, still, isFirst);
      left.push(...(failed === undefined ? [] : [failed]));
      isFirst = false;
    }
  }
  if (left.length > 0) {
    await vscode.env.clipboard.writeText(left.map(({ words }) => words).join('\n\n'));
    left.forEach(({ told }) => settle(threads, told, 'the clipboard'));
    const why = left.flatMap((each) => each.why ?? [])[0];
    if (why !== undefined) {
      void vscode.window.showWarningMessage(
        `${why}. Your review is on the clipboard: paste it when the prompt is back.`,
      );
    }
  }
}

/** The text of a review. */
interface Written {
  readonly words: string;
  /** What is in it, with the text as it is there: the user may write more at any moment. */
  readonly told: ReadonlyMap<ReviewComment, string>;
}

/** What the user is to paste. */
interface Left extends Written {
  readonly why?: string;
}

function isOpen(thread: Thread): boolean {
  return !thread.isResolved && openComments(thread).length > 0;
}

/**
 * The text of a review of these, as it is sent, wherever it may be pasted.
 * @param folder in which its reader runs
 */
async function write(threads: Threads, open: readonly Thread[], folder?: string): Promise<Written> {
  const items = [];
  const told = new Map<ReviewComment, string>();
  for (const thread of open) {
    // Where the lines are now; of a file that is gone nothing stands there.
    const document = await thread.open();
    threads.find(thread);
    threads.lookAt(thread.path);
    const comments = openComments(thread);
    comments.forEach((comment) => told.set(comment, comment.saved.text));
    items.push({
      path: printable(pathFor(thread.path, folder), 1_000),
      lines: thread.lines,
      quoted: thread.quoted,
      isFileGone: thread.isFileGone,
      isChanged: document === undefined || thread.isAsQuoted !== true,
      comments: comments.map(({ saved }) => saved.text),
    });
  }
  return { words: pasteableLines(reviewText(items)), told };
}

/** A CLI may run elsewhere than in the folder of the file: below it, or in another one of the window. */
function pathFor(path: string, folder: string | undefined): string {
  const its = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path))?.uri.fsPath;
  const isThere = its !== undefined && folder !== undefined && realPath(its) === realPath(folder);
  return isThere ? relative(its, path).replaceAll(sep, '/') : path;
}

/** Who proposes these lines, or has written them. */
function authorOf(dependencies: SendingDependencies, thread: Thread): Proposer | undefined {
  const { bridge, proposals, records } = dependencies;
  const { author, begun = Infinity, shown } = thread;
  const pid = author ?? authorAt(dependencies, shown.uri);
  // The number of a process that has ended is given to others.
  const isAnother = (session: Session) =>
    author !== undefined && (records.of(session)?.startedAt ?? 0) > begun;
  return (
    proposals.find(shown.uri)?.session ??
    [...bridge.sessions].find((session) => pid !== undefined && session.pid === pid && !isAnother(session))
  );
}

/** The process of the one session that proposes or has changed what is there; of several, the user says which. */
export function authorAt(
  { proposals, changes }: Pick<SendingDependencies, 'proposals' | 'changes'>,
  uri: vscode.Uri,
): number | undefined {
  const proposal = proposals.find(uri);
  const pids = proposal ? [proposal.session.pid] : changes.ofPath(uri.fsPath).map(({ set }) => set.pid);
  return pids.length === 1 ? pids[0] : undefined;
}

/** @returns undefined where the user has chosen nobody */
async function choose(
  { bridge }: SendingDependencies,
  open: readonly Thread[],
): Promise<Session | 'clipboard' | undefined> {
  const choices: Choice[] = [
    ...[...bridge.sessions].map((session) => ({
      label: `$(terminal) ${withoutIcons(printable(session.label))}`,
      to: session,
    })),
    { label: '$(copy) Copy the Review', detail: 'To paste it where you want it', to: 'clipboard' },
  ];
  const names = [...new Set(open.map(({ path }) => printable(basename(path))))].join(', ');
  const picked = await vscode.window.showQuickPick(choices, {
    title: 'Send Review',
    placeHolder: `Who is to have the comments on ${names}?`,
  });
  return picked?.to;
}

/** @param isFirst whether it may take the user to its terminal @returns what has found no prompt */
async function sendTo(
  { proposals, reasons, sessionTerminals }: SendingDependencies,
  threads: Threads,
  to: Proposer | 'clipboard',
  open: readonly Thread[],
  isFirst: boolean,
): Promise<Left | undefined> {
  if (to === 'clipboard') {
    return write(threads, open);
  }
  const proposed = new Map<Proposal, Thread[]>();
  for (const thread of open) {
    const proposal = proposals.find(thread.shown.uri);
    if (proposal) {
      proposed.set(proposal, [...(proposed.get(proposal) ?? []), thread]);
    }
  }
  if (!(to instanceof Session)) {
    for (const [{ uri }, ofProposal] of proposed) {
      const { words, told } = await write(threads, ofProposal);
      // Decided meanwhile, it takes no reason any more: the comments are about the file then.
      if (proposals.find(uri)) {
        settle(threads, told, printable(to.label));
        await proposals.reject(uri, { reason: words });
      }
    }
    return undefined;
  }
  const { words, told } = await write(threads, open, sessionTerminals.folderOf(to));
  const id = randomUUID();
  threads.change(isStill(told), { review: id });
  const review = { id, name: `review with ${counted(told.size, 'comment')}`, words };
  const why = await (await reasons()).review(to, [...proposed.keys()], review, isFirst);
  return why === undefined ? undefined : { words, told, why };
}

/** They count as sent. */
function settle(threads: Threads, told: Written['told'], to: string): void {
  threads.change(isStill(told), { sent: { to, at: Date.now() } });
}

/** Not those that say something else by now. */
function isStill(told: Written['told']): (comment: ReviewComment) => boolean {
  return (comment) => comment.isOpen && told.get(comment) === comment.saved.text;
}
