import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { pasteable, pasteableLines } from '../base/pasteable.ts';
import { printable } from '../base/printable.ts';
import { setting } from '../editor/settings.ts';
import { pasteIntoCli, readsTerminalOf, submitInCli } from '../editor/terminalInput.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Proposal } from '../proposals/proposal.ts';
import type { Proposals } from '../proposals/proposals.ts';
import { mayType } from '../records/typing.ts';
import type { Bridge } from '../server/bridge.ts';
import { beginOf } from '../server/foreground.ts';
import { isAlive } from '../server/processes.ts';
import { Session } from '../server/session.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import { kindOf, type Reason, type WaitingReasons } from './waitingReasons.ts';

export interface ReasonDependencies {
  bridge: Bridge;
  proposals: Proposals;
  sessionTerminals: SessionTerminals;
  records: SessionRecords;
  userPlace: UserPlace;
  waiting: WaitingReasons;
  log: Logger;
}

/** One in a terminal of this window. */
interface Cli {
  readonly session: Session;
  readonly terminal: vscode.Terminal;
  readonly pid: number;
}

/** ms after a rejection in which the user expects the words in the terminal; then it is told that they wait. */
const expectation = 3_000;
/** ms until the next look for what nobody tells. */
const lookInterval = 1_000;

/**
 * Rejects with a reason. The CLI does not look at what comes with a rejection, so the reason is pasted at its next
 * prompt; until its record says that it has one, the reason waits. Enter is the user's. So are comments, as one text.
 */
export class Reasons implements Disposable {
  /** Rejected just now: the user has not been told that they wait. */
  private readonly expected = new WeakSet<Reason>();
  /** When the prompt has come into which the user, who may be typing there, wants it pasted. */
  private readonly confirmed = new WeakMap<Reason, number>();
  /** When the prompt has come into which the last one of that CLI was pasted: two would run together there. */
  private readonly usedPrompts = new Map<number, number>();
  /** When the prompt has come for which the user was asked about it. */
  private readonly askedAt = new WeakMap<Reason, number>();
  private readonly store = new DisposableStore();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isLooking = false;
  private mustLookAgain = false;

  constructor(private readonly dependencies: ReasonDependencies) {
    const { bridge, sessionTerminals, records, userPlace } = dependencies;
    for (const event of [
      bridge.onDidChangeState,
      records.onDidChange,
      sessionTerminals.onDidChange,
      userPlace.onDidChange,
    ]) {
      this.store.add(event(() => this.look()));
    }
    this.store.add(toDisposable(() => clearTimeout(this.timer)));
    this.look();
  }

  async reject({ session, uri, fileName }: Proposal): Promise<void> {
    const { proposals, sessionTerminals } = this.dependencies;
    const label = printable(session.label);
    if (!(session instanceof Session)) {
      const words = await askForReason(fileName, label);
      await (words === undefined ? undefined : proposals.reject(uri, { reason: words.trim() }));
      return;
    }
    const terminal = sessionTerminals.terminalOf(session);
    const { pid } = session;
    if (!terminal || pid === undefined) {
      void vscode.window.showInformationMessage(
        `A reason is pasted into the terminal of the session, and that of ${label} is not in this window. Reject without one.`,
      );
      return;
    }
    const words = await askForReason(fileName, label);
    if (words === undefined) {
      return;
    }
    const isOpen = proposals.find(uri) !== undefined;
    await proposals.reject(uri);
    if (words.trim() === '') {
      return;
    }
    const cli = { session, terminal, pid };
    const reason = await this.reasonFor(cli, { name: `reason for ${fileName}`, words }, true);
    const obstacle = isOpen
      ? await this.obstacle(cli)
      : `The proposal for ${fileName} was decided elsewhere meanwhile`;
    if (obstacle === undefined) {
      this.wait(reason);
    } else {
      await this.give(reason, obstacle);
    }
  }

  /**
   * Gives a session the comments on what it has proposed or changed; see `WaitingReasons.onDidPaste`.
   * @param rejected of that session: they are rejected with it
   * @param mayShow whether the user is to be taken to its terminal, where it has its prompt or has lost a question
   * @returns why it has no way to the prompt, a sentence without its end; undefined where it is pasted soon, or waits
   */
  async review(
    session: Session,
    rejected: readonly Proposal[],
    { id, name, words }: { id: string; name: string; words: string },
    mayShow: boolean,
  ): Promise<string | undefined> {
    const { proposals, records, sessionTerminals } = this.dependencies;
    const { pid } = session;
    const terminal = sessionTerminals.terminalOf(session);
    for (const { uri } of rejected) {
      await proposals.reject(uri);
    }
    if (!terminal || pid === undefined) {
      return `The terminal of ${printable(session.label)} is not in this window`;
    }
    const isFree = rejected.length > 0 || mayType(await records.look(session)) === 'now';
    const cli = { session, terminal, pid };
    const reason = await this.reasonFor(cli, { name, words, review: id }, mayShow && isFree);
    const obstacle = await this.obstacle(cli);
    if (obstacle === undefined) {
      this.wait(reason);
    }
    return obstacle;
  }

  /** @param isShown at once: a moment later the user may type elsewhere; the words are expected there then */
  private async reasonFor(
    { session, terminal, pid }: Cli,
    text: Pick<Reason, 'name' | 'words' | 'review'>,
    isShown: boolean,
  ): Promise<Reason> {
    if (isShown) {
      this.dependencies.userPlace.show(terminal);
    }
    const reason: Reason = { pid, began: await beginOf(pid), label: printable(session.label), ...text };
    if (isShown) {
      this.expected.add(reason);
    }
    return reason;
  }

  /** Why nothing can be pasted there, a sentence without its end. */
  private async obstacle({ session, terminal, pid }: Cli): Promise<string | undefined> {
    const label = printable(session.label);
    if (!(await readsTerminalOf(terminal, pid))) {
      return `It is not known that ${label} is what reads its terminal now`;
    }
    return mayType(await this.dependencies.records.look(session)) === 'unknown'
      ? `No record of ${label} says whether it has a prompt now`
      : undefined;
  }

  private wait(reason: Reason): void {
    const { waiting } = this.dependencies;
    const { label, name } = reason;
    waiting.add(reason);
    this.look();
    void delay(this.expected.has(reason) ? expectation : lookInterval).then(() => {
      this.expected.delete(reason);
      if (waiting.has(reason)) {
        // No notification: Escape, by which a question is refused, would hide it instead.
        vscode.window.setStatusBarMessage(`Your ${name} waits: ${label} asks something, or works.`, 10_000);
      }
    });
  }

  dispose(): void {
    this.store.dispose();
  }

  private look(): void {
    this.mustLookAgain = true;
    if (!this.isLooking) {
      void this.lookAtAll();
    }
  }

  private async lookAtAll(): Promise<void> {
    const { waiting, log } = this.dependencies;
    this.isLooking = true;
    while (this.mustLookAgain) {
      this.mustLookAgain = false;
      const pids = new Set(waiting.all.map(({ pid }) => pid));
      for (const pid of pids) {
        const oldest = waiting.all.find((reason) => reason.pid === pid);
        await (oldest && this.tryToPaste(oldest))?.catch((error: unknown) =>
          log.error(`A reason was not pasted: ${errorMessage(error)}`),
        );
      }
    }
    this.isLooking = false;
  }

  private async tryToPaste(reason: Reason): Promise<void> {
    const { sessionTerminals, records, userPlace, waiting } = this.dependencies;
    const { pid } = reason;
    if (await hasEnded(reason)) {
      this.giveUp(reason, `${reason.label} has ended`);
      return;
    }
    const session = sessionTerminals.sessions.find((other) => other.pid === pid);
    if (!session) {
      this.lookLater(); // its end, or its return, may be told by nobody
      return;
    }
    const label = printable(session.label);
    if (records.sourceOf(session) === 'off') {
      this.giveUp(reason, `The records of ${label} are not read any more`);
      return;
    }
    const terminal = sessionTerminals.terminalOf(session);
    if (!terminal) {
      return; // the editor has not brought it back yet
    }
    const state = await records.look(session);
    if (!state || mayType(state) !== 'now') {
      this.lookLater(); // on a busy machine a change of what it writes down may be told late, or never
      return;
    }
    if (this.usedPrompts.get(pid) === state.since) {
      return;
    }
    const isMeant = this.expected.has(reason) || this.confirmed.get(reason) === state.since;
    if (!isMeant && userPlace.isStillIn(terminal)) {
      this.offerToPaste(reason, label, terminal, state.since);
      return;
    }
    const look = async () => (waiting.has(reason) ? records.look(session) : undefined);
    const typed = await pasteIntoCli(terminal, pid, look, textOf(reason));
    if (!waiting.has(reason) || typed === 'later' || typed === 'unknown') {
      return;
    }
    if (typed === 'not reading') {
      this.lookLater(); // the editor that it has opened, or its suspension, ends without a word
    } else if (typed === 'lost') {
      this.giveUp(
        reason,
        `${label} has asked something just as your ${reason.name} was pasted, which may be lost`,
      );
    } else {
      this.usedPrompts.set(pid, state.since);
      waiting.didPaste(reason);
      const isSent =
        reason.review !== undefined &&
        setting('comments.submit') &&
        (await submitInCli(terminal, pid, () => records.look(session))) === 'typed';
      if (!isSent) {
        this.tellThatItStands(reason, label, terminal);
      }
    }
  }

  private lookLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), lookInterval);
  }

  /** Not into what the user types there. @param since when that prompt has come: it is offered once for each */
  private offerToPaste(reason: Reason, label: string, terminal: vscode.Terminal, since: number): void {
    const { userPlace, waiting } = this.dependencies;
    if (this.askedAt.get(reason) === since) {
      return;
    }
    this.askedAt.set(reason, since);
    const paste = 'Paste';
    const discard = 'Discard';
    const message = `Your ${reason.name} can be pasted into the prompt of ${label} now.`;
    void vscode.window.showInformationMessage(message, paste, discard).then((choice) => {
      if (choice === paste) {
        this.confirmed.set(reason, since);
        userPlace.show(terminal);
        this.look();
      } else if (choice === discard) {
        waiting.remove(reason);
      }
    });
  }

  private tellThatItStands(reason: Reason, label: string, terminal: vscode.Terminal): void {
    const { userPlace } = this.dependencies;
    if (userPlace.isStillIn(terminal)) {
      // Of a view over its prompt, such as that of Ctrl+R, the CLI's record says nothing.
      vscode.window.setStatusBarMessage(
        `${kindOf([reason])} pasted. If it stands in the prompt of ${label}, Enter sends it.`,
        10_000,
      );
      return;
    }
    const show = 'Show';
    const message = `Your ${reason.name} was pasted into the prompt of ${label}. Enter sends it.`;
    void vscode.window
      .showInformationMessage(message, show)
      .then((choice) => choice === show && userPlace.show(terminal));
  }

  private giveUp(reason: Reason, why: string): void {
    this.dependencies.waiting.remove(reason);
    void this.give(reason, why);
    this.look(); // at the next of that CLI
  }

  /** To the user, who may have copied something else meanwhile. */
  private async give(reason: Reason, why: string): Promise<void> {
    const { name, words } = reason;
    if (this.expected.has(reason)) {
      await vscode.env.clipboard.writeText(words);
      void vscode.window.showWarningMessage(
        `${why}. Your ${kindOf([reason]).toLowerCase()} is on the clipboard: paste it when the prompt is back.`,
      );
      return;
    }
    const copy = 'Copy';
    const message = `${why}. Copy your ${name}?`;
    if ((await vscode.window.showWarningMessage(message, copy)) === copy) {
      await vscode.env.clipboard.writeText(words);
    }
  }
}

function askForReason(fileName: string, label: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: `Reject ${fileName}`,
    prompt: `What should ${label} do instead?`,
    ignoreFocusOut: true,
  });
}

/** As it may be pasted. */
function textOf({ words, review }: Reason): string {
  return review === undefined ? pasteable(words) : pasteableLines(words);
}

/** After a reload another process, even another CLI, may have its number. */
async function hasEnded({ pid, began }: Reason): Promise<boolean> {
  return !isAlive(pid) || (began !== undefined && (await beginOf(pid)) !== began);
}
