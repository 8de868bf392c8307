import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { printable } from '../base/printable.ts';
import { pasteIntoCli, readsTerminalOf } from '../editor/terminalInput.ts';
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
import type { Reason, WaitingReasons } from './waitingReasons.ts';

export interface ReasonDependencies {
  bridge: Bridge;
  proposals: Proposals;
  sessionTerminals: SessionTerminals;
  records: SessionRecords;
  userPlace: UserPlace;
  waiting: WaitingReasons;
  log: Logger;
}

/** ms after a rejection in which the user expects the words in the terminal; then it is told that they wait. */
const expectation = 3_000;
/** ms until the next look for what nobody tells. */
const lookInterval = 1_000;

/**
 * Rejects with a reason. The CLI does not look at what comes with a rejection, so the reason is pasted at its next
 * prompt; until its record says that it has one, the reason waits. Enter is the user's.
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
    const { proposals, sessionTerminals, records, userPlace, waiting } = this.dependencies;
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
    // At once: a moment later the user may type elsewhere.
    userPlace.show(terminal);
    const reason = { pid, began: await beginOf(pid), label, fileName, words };
    this.expected.add(reason);
    if (!isOpen) {
      await this.give(reason, `The proposal for ${fileName} was decided elsewhere meanwhile`);
    } else if (!(await readsTerminalOf(terminal, pid))) {
      await this.give(reason, notReading(label));
    } else if (mayType(await records.look(session)) === 'unknown') {
      await this.give(reason, `No record of ${label} says whether it has a prompt now`);
    } else {
      waiting.add(reason);
      this.look();
      await delay(expectation);
      this.expected.delete(reason);
      if (waiting.has(reason)) {
        // No notification: Escape, by which a question is refused, would hide it instead.
        vscode.window.setStatusBarMessage(
          `Your reason for ${fileName} waits: ${label} asks something, or works.`,
          10_000,
        );
      }
    }
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
    const { pid, words } = reason;
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
    const typed = await pasteIntoCli(terminal, pid, look, words);
    if (!waiting.has(reason) || typed === 'later' || typed === 'unknown') {
      return;
    }
    if (typed === 'not reading') {
      this.lookLater(); // the editor that it has opened, or its suspension, ends without a word
    } else if (typed === 'lost') {
      this.giveUp(reason, `${label} has asked something just as your reason was pasted, which may be lost`);
    } else {
      this.usedPrompts.set(pid, state.since);
      waiting.remove(reason);
      this.tellThatItStands(reason, label, terminal);
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
    const message = `Your reason for ${reason.fileName} can be pasted into the prompt of ${label} now.`;
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
        `Reason pasted. If it stands in the prompt of ${label}, Enter sends it.`,
        10_000,
      );
      return;
    }
    const show = 'Show';
    const message = `Your reason for ${reason.fileName} was pasted into the prompt of ${label}. Enter sends it.`;
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
    if (this.expected.has(reason)) {
      await vscode.env.clipboard.writeText(reason.words);
      void vscode.window.showWarningMessage(
        `${why}. Your reason is on the clipboard: paste it when the prompt is back.`,
      );
      return;
    }
    const copy = 'Copy';
    const message = `${why}. Copy your reason for ${reason.fileName}?`;
    if ((await vscode.window.showWarningMessage(message, copy)) === copy) {
      await vscode.env.clipboard.writeText(reason.words);
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

function notReading(label: string): string {
  return `It is not known that ${label} is what reads its terminal now`;
}

/** After a reload another process, even another CLI, may have its number. */
async function hasEnded({ pid, began }: Reason): Promise<boolean> {
  return !isAlive(pid) || (began !== undefined && (await beginOf(pid)) !== began);
}
