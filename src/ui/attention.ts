import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Proposal } from '../editor/proposal.ts';
import type { Proposals } from '../editor/proposals.ts';
import { proposedSides } from '../editor/proposalTabs.ts';
import type { SessionTerminals } from '../editor/sessionTerminals.ts';
import { setting } from '../editor/settings.ts';
import type { TerminalBells } from '../editor/terminalBells.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Session } from '../server/session.ts';
import { commandIds } from './commandIds.ts';

/** A proposal, or the question in the terminal that a bell announced. */
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
  bells: TerminalBells;
}

/** Knows which sessions wait for the user, and says so, once, when that is out of view. */
export class Attention implements vscode.Disposable {
  private waits: Wait[] = [];
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly onDidChange = this.changed.event;

  constructor(private readonly dependencies: AttentionDependencies) {
    const { bridge, proposals, sessionTerminals, bells } = dependencies;
    const look = () => this.look();
    this.subscriptions = vscode.Disposable.from(
      proposals.onDidChange(() => this.followProposals()),
      bells.onDidRing((terminal) => sessionTerminals.sessionsIn(terminal).forEach((s) => this.ring(s))),
      // The CLI calls tools when it goes on.
      bridge.onDidUse((session) => this.endQuestion(session)),
      bridge.onDidChangeState(() => this.keep(({ session }) => bridge.sessions.has(session))),
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) =>
        sessionTerminals.sessionsIn(terminal).forEach((session) => this.endQuestion(session)),
      ),
      vscode.window.onDidChangeWindowState(look),
      vscode.window.onDidChangeActiveTerminal(look),
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
    this.waits = [
      ...this.waits.filter(({ proposal }) => !proposal || all.includes(proposal)),
      ...added.map((proposal) => ({ session: proposal.session, proposal, isKnown: false })),
    ];
    this.changed.fire();
    this.lookLater();
  }

  private ring(session: Session): void {
    if (this.waits.some((wait) => wait.session === session)) {
      return; // a bell that goes with a proposal, or rings again
    }
    this.waits.push({ session, isKnown: false });
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
      ? `${session.label} proposes a change to ${basename(proposal.filePath)}.`
      : `${session.label} waits for you.`;
    const show = 'Show';
    if ((await vscode.window.showInformationMessage(message, show)) === show) {
      await (proposal
        ? vscode.commands.executeCommand(commandIds.openProposal, proposal)
        : vscode.commands.executeCommand(commandIds.showSession, session));
    }
  }

  private isInView({ session, proposal }: Wait): boolean {
    const terminal = this.dependencies.sessionTerminals.terminalOf(session);
    return (
      vscode.window.state.focused &&
      (isVisible(proposal) || (terminal !== undefined && terminal === vscode.window.activeTerminal))
    );
  }
}

function isVisible(proposal: Proposal | undefined): boolean {
  return vscode.window.tabGroups.all.some(
    ({ activeTab }) =>
      activeTab && proposedSides(activeTab).some((uri) => uri.toString() === proposal?.uri.toString()),
  );
}
