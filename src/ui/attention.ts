import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import type { Proposal } from '../editor/proposal.ts';
import type { Proposals } from '../editor/proposals.ts';
import { tabsOf } from '../editor/proposalTabs.ts';
import type { SessionTerminals } from '../editor/sessionTerminals.ts';
import { setting } from '../editor/settings.ts';
import type { TerminalSigns } from '../editor/terminalSigns.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Session } from '../server/session.ts';
import { commandIds } from './commandIds.ts';

/** A proposal, or a terminal in which the CLI has asked or is done. */
interface Wait {
  readonly session: Session;
  readonly proposal?: Proposal;
  /** It was in view when it had to be told, or was told. */
  isKnown: boolean;
}

/** A diff needs a moment to open, and the user one to look away, in ms: what is in view then needs no word. */
const grace = 1_500;

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

  /** Those with a question in the terminal; proposals have a view of their own. */
  get asking(): ReadonlySet<Session> {
    return new Set(this.waits.filter(({ proposal }) => !proposal).map(({ session }) => session));
  }

  /** How many sessions wait where the user cannot see it now. */
  get unseen(): number {
    return new Set(this.waits.filter((wait) => !this.isInView(wait)).map(({ session }) => session)).size;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
    this.changed.dispose();
  }

  private followProposals(): void {
    const { all } = this.dependencies.proposals;
    const known = new Set(this.waits.map(({ proposal }) => proposal));
    const added = all.filter((proposal) => !known.has(proposal));
    const isAsked = (session: Session) => added.some((proposal) => proposal.session === session);
    this.waits = [
      // The question that goes with a proposal is the same wait.
      ...this.waits.filter(({ proposal, session }) =>
        proposal ? all.includes(proposal) : !isAsked(session),
      ),
      ...added.map((proposal) => ({ session: proposal.session, proposal, isKnown: false })),
    ];
    this.changed.fire();
    this.lookLater();
  }

  private call(session: Session): void {
    const wait = { session, isKnown: false };
    // One that goes with a proposal, or comes again, is known.
    if (this.isInView(wait) || this.waits.some((other) => other.session === session)) {
      return;
    }
    this.waits.push(wait);
    this.changed.fire();
    this.lookLater();
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

  private lookLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), grace);
  }

  private look(): void {
    if (this.waits.length > 0) {
      this.keep((wait) => wait.proposal !== undefined || !this.isInView(wait));
      this.changed.fire();
    }
  }

  private tell(): void {
    this.look();
    for (const wait of this.waits.filter(({ isKnown }) => !isKnown)) {
      wait.isKnown = true;
      if (!this.isInView(wait) && setting('attention.notify')) {
        void this.notify(wait);
      }
    }
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
 * Another tab may cover one in the editor area. Of the panel it is not known whether it is open, so what it shows counts
 * as out of view for a user who works in an editor.
 */
function isInFront(terminal: vscode.Terminal, isUserInEditor: boolean): boolean {
  const { location } = terminal.creationOptions as vscode.TerminalOptions;
  const isInPanel = location === undefined || location === vscode.TerminalLocation.Panel;
  const isShown = ({ activeTab }: vscode.TabGroup) =>
    activeTab?.input instanceof vscode.TabInputTerminal && activeTab.label === terminal.name;
  return (
    terminal === vscode.window.activeTerminal &&
    (isInPanel ? !isUserInEditor : vscode.window.tabGroups.all.some(isShown))
  );
}

function isVisible({ uri }: Proposal): boolean {
  return tabsOf(uri).some(({ isActive }) => isActive);
}
