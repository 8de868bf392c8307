import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import type { Proposal } from '../proposals/proposal.ts';
import type { Proposals } from '../proposals/proposals.ts';
import { tabsOf } from '../proposals/proposalTabs.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { setting } from '../editor/settings.ts';
import { allTabs } from '../editor/tabContent.ts';
import type { TerminalSigns } from './terminalSigns.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Session } from '../server/session.ts';
import { commandIds } from '../editor/commandIds.ts';

/** A proposal, or a terminal in which the CLI has asked or is done. */
interface Wait {
  readonly session: Session;
  readonly proposal?: Proposal;
  /** It was in view for a while. */
  isSeen?: boolean;
  /** By a notification. */
  isTold?: boolean;
}

/** A diff needs a moment to open, and the user one to look away, in ms: what is in view then needs no word. */
const grace = 1_500;

/** A CLI that works again so soon after a decision, in ms, does so because of it. */
const resumption = 2_000;

interface AttentionDependencies {
  bridge: Bridge;
  proposals: Proposals;
  sessionTerminals: SessionTerminals;
  userPlace: UserPlace;
  signs: TerminalSigns;
}

/** Knows which sessions wait for the user, and says so, once, when that is out of view. */
export class Attention implements vscode.Disposable {
  private waits: Wait[] = [];
  private lastDecision = -Infinity;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly onDidChange = this.changed.event;

  constructor(private readonly dependencies: AttentionDependencies) {
    const { bridge, proposals, sessionTerminals, userPlace, signs } = dependencies;
    const look = () => this.look();
    const endQuestions = (terminal: vscode.Terminal) =>
      sessionTerminals.sessionsIn(terminal).forEach((session) => this.endQuestion(session));
    this.subscriptions = vscode.Disposable.from(
      proposals.onDidChange(() => this.followProposals()),
      signs.onDidCall((terminal) => sessionTerminals.sessionsIn(terminal).forEach((s) => this.call(s))),
      signs.onDidChange((terminal) => {
        if (signs.isWorking(terminal)) {
          endQuestions(terminal);
          // Else the user has answered it there.
          const hasDecided = performance.now() - this.lastDecision < resumption;
          if (terminal === vscode.window.activeTerminal && !hasDecided) {
            userPlace.leaveEditor();
          }
        }
      }),
      // The CLI calls tools when it goes on.
      bridge.onDidUse((session) => this.endQuestion(session)),
      bridge.onDidChangeState(() => this.keep(({ session }) => bridge.sessions.has(session))),
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) => endQuestions(terminal)),
      vscode.window.onDidChangeWindowState(look),
      userPlace.onDidChange(look),
      vscode.window.tabGroups.onDidChangeTabs(look),
    );
  }

  /** Those with a question out of view, in the terminal; proposals have a view of their own. */
  get asking(): ReadonlySet<Session> {
    return new Set(this.unseenWaits.filter(({ proposal }) => !proposal).map(({ session }) => session));
  }

  /** How many sessions wait where the user cannot see it now. */
  get unseen(): number {
    return new Set(this.unseenWaits.map(({ session }) => session)).size;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
    this.changed.dispose();
  }

  /** What a question asks is known once it was seen; a proposal is to be decided. */
  private get unseenWaits(): Wait[] {
    return this.waits.filter((wait) => !this.isInView(wait) && (wait.proposal || !wait.isSeen));
  }

  private followProposals(): void {
    const { all } = this.dependencies.proposals;
    if (this.waits.some(({ proposal }) => proposal && !all.includes(proposal))) {
      this.lastDecision = performance.now();
    }
    const known = new Set(this.waits.map(({ proposal }) => proposal));
    const added = all.filter((proposal) => !known.has(proposal));
    const isAsked = (session: Session) => added.some((proposal) => proposal.session === session);
    this.waits = [
      // The question that goes with a proposal is the same wait.
      ...this.waits.filter(({ proposal, session }) =>
        proposal ? all.includes(proposal) : !isAsked(session),
      ),
      ...added.map((proposal) => ({ session: proposal.session, proposal })),
    ];
    this.lookAnew();
  }

  private call(session: Session): void {
    // One that goes with a proposal, or comes again, is the same wait.
    if (!this.waits.some((other) => other.session === session)) {
      this.waits.push({ session });
      this.lookAnew();
    }
  }

  private endQuestion(session: Session): void {
    this.keep((wait) => wait.session !== session || wait.proposal !== undefined);
  }

  private keep(predicate: (wait: Wait) => boolean): void {
    const kept = this.waits.filter(predicate);
    if (kept.length < this.waits.length) {
      this.waits = kept;
      this.changed.fire();
    }
  }

  private look(): void {
    if (this.waits.length > 0) {
      this.changed.fire();
      this.timer ??= setTimeout(() => this.tell(), grace);
    }
  }

  /** Whatever has come or gone has a grace of its own. */
  private lookAnew(): void {
    this.changed.fire();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), grace);
  }

  private tell(): void {
    const { sessionTerminals, signs } = this.dependencies;
    this.timer = undefined;
    for (const wait of this.waits.filter(({ isSeen }) => !isSeen)) {
      wait.isSeen = this.isInView(wait);
      if (!wait.isSeen && !wait.isTold && setting('attention.notify')) {
        wait.isTold = true;
        void this.notify(wait);
      }
    }
    // Of a CLI that does not tell when it goes on, the next call is another question.
    this.keep(
      ({ session, proposal, isSeen }) =>
        proposal !== undefined || !isSeen || signs.hasTold(sessionTerminals.terminalOf(session)),
    );
  }

  private async notify({ session, proposal }: Wait): Promise<void> {
    const message = proposal
      ? `${printable(session.label)} proposes a change to ${proposal.fileName}.`
      : `${printable(session.label)} waits for you.`;
    const show = 'Show';
    if ((await vscode.window.showInformationMessage(message, show)) === show) {
      await (proposal
        ? vscode.commands.executeCommand(commandIds.openProposal, proposal)
        : vscode.commands.executeCommand(commandIds.showSession, session));
    }
  }

  private isInView({ session, proposal }: Wait): boolean {
    const { sessionTerminals, userPlace } = this.dependencies;
    const terminal = sessionTerminals.terminalOf(session);
    return (
      vscode.window.state.focused &&
      ((proposal && isVisible(proposal)) ||
        (terminal !== undefined && isInFront(terminal, userPlace.isInEditor)))
    );
  }
}

/**
 * A tab of the editor area tells no more of its terminal than the name. Of the panel it is not known whether it is open,
 * so what it shows counts as out of view for a user who works in an editor.
 */
function isInFront(terminal: vscode.Terminal, isUserInEditor: boolean): boolean {
  const namesakes = vscode.window.terminals.filter(({ name }) => name === terminal.name);
  const tabs = allTabs().filter(
    ({ input, label }) => input instanceof vscode.TabInputTerminal && label === terminal.name,
  );
  const inFront = tabs.filter(({ isActive }) => isActive);
  const { location = vscode.TerminalLocation.Panel } = terminal.creationOptions as vscode.TerminalOptions;
  const isInPanel = location === vscode.TerminalLocation.Panel && tabs.length < namesakes.length;
  return (
    inFront.length === namesakes.length ||
    (terminal === vscode.window.activeTerminal && (inFront.length > 0 || (isInPanel && !isUserInEditor)))
  );
}

function isVisible({ uri }: Proposal): boolean {
  return tabsOf(uri).some(({ isActive }) => isActive);
}
