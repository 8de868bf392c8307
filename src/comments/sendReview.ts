import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import type { Changes } from '../changes/changes.ts';
import type { Reasons } from '../mentions/reasons.ts';
import type { Proposal } from '../proposals/proposal.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Proposer } from '../server/proposer.ts';
import { Session } from '../server/session.ts';
import { reviewText } from './reviewText.ts';
import type { Thread, Threads } from './threads.ts';

export interface SendingDependencies {
  bridge: Bridge;
  proposals: Proposals;
  changes: Changes;
  /** What gives a text to a CLI whose prompt may not be there. */
  reasons: () => Promise<Pick<Reasons, 'review'>>;
}

/** Whom the user may send a review to, where nothing says who has changed the lines. */
interface Choice extends vscode.QuickPickItem {
  readonly session?: Session;
}

const openComments = ({ comments }: Thread) => comments.filter(({ isOpen }) => isOpen);

/** Gives all comments that are not sent yet to the sessions that they are for. */
export async function sendReview(dependencies: SendingDependencies, threads: Threads): Promise<void> {
  const open = threads.all.filter((thread) => !thread.isResolved && openComments(thread).length > 0);
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
  for (const [author, ofAuthor] of groups) {
    await (author
      ? sendTo(dependencies, threads, author, ofAuthor)
      : choose(dependencies, threads, ofAuthor));
  }
}

/** The text of a review of these, as it is sent. */
export function textOf(threads: readonly Thread[]): string {
  return reviewText(
    threads.map((thread) => ({
      path: vscode.workspace.asRelativePath(thread.path),
      lines: thread.lines,
      quoted: thread.quoted,
      isChanged: thread.isAsQuoted === false,
      comments: openComments(thread).map(({ saved }) => saved.text),
    })),
  );
}

/** Who proposes these lines, or has written them last. */
function authorOf({ bridge, proposals, changes }: SendingDependencies, thread: Thread): Proposer | undefined {
  const proposal = proposals.find(thread.shown.uri);
  if (proposal) {
    return proposal.session;
  }
  const pids = changes.ofPath(thread.shown.uri.fsPath).map(({ set }) => set.pid);
  const sessions = [...bridge.sessions];
  return pids
    .reverse()
    .flatMap((pid) => sessions.find((session) => pid !== undefined && session.pid === pid) ?? [])[0];
}

async function choose(
  dependencies: SendingDependencies,
  threads: Threads,
  open: readonly Thread[],
): Promise<void> {
  const sessions = [...dependencies.bridge.sessions];
  const copy: Choice = { label: '$(copy) Copy the Review', detail: 'To paste it where you want it' };
  const choices: Choice[] = [
    ...sessions.map((session) => ({
      label: `$(terminal) ${withoutIcons(printable(session.label))}`,
      session,
    })),
    copy,
  ];
  const names = [...new Set(open.map(({ path }) => printable(basename(path))))].join(', ');
  const picked = await vscode.window.showQuickPick(choices, {
    title: 'Send Review',
    placeHolder: `No session here has changed ${names}: who is to have the comments?`,
  });
  if (picked?.session) {
    await sendTo(dependencies, threads, picked.session, open);
  } else if (picked) {
    await vscode.env.clipboard.writeText(textOf(open));
    settle(threads, open, 'the clipboard');
  }
}

async function sendTo(
  { proposals, reasons }: SendingDependencies,
  threads: Threads,
  author: Proposer,
  open: readonly Thread[],
): Promise<void> {
  const words = textOf(open);
  const rejected = open.flatMap(({ shown }) => proposals.find(shown.uri) ?? []);
  const proposed: Proposal[] = [...new Set(rejected)];
  if (!(author instanceof Session)) {
    settle(threads, open, printable(author.label));
    for (const { uri } of proposed) {
      await proposals.reject(uri, { reason: words });
    }
    return;
  }
  const review = randomUUID();
  for (const thread of open) {
    openComments(thread).forEach((comment) => (comment.review = review));
    threads.changed(thread);
  }
  const number = open.reduce(
    (sum, { comments }) => sum + comments.filter((each) => each.review === review).length,
    0,
  );
  await (
    await reasons()
  ).review(author, proposed, words, { id: review, name: `review with ${counted(number, 'comment')}` });
}

/** They count as sent. */
function settle(threads: Threads, open: readonly Thread[], to: string): void {
  for (const thread of open) {
    openComments(thread).forEach((comment) => (comment.sent = { to, at: Date.now() }));
    threads.changed(thread);
  }
}
