import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import type { Proposal } from '../proposals/proposal.ts';
import type { Proposals } from '../proposals/proposals.ts';
import { tabsOf } from '../proposals/proposalTabs.ts';
import type { SessionRecords } from './sessionRecords.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { questionText } from './stateText.ts';
import type { SessionState } from '../records/events.ts';
import { Notice } from '../editor/notice.ts';
import { setting } from '../editor/settings.ts';
import { allTabs } from '../editor/tabContent.ts';
import type { TerminalSigns } from './terminalSigns.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Proposer } from '../server/proposer.ts';
import { Session } from '../server/session.ts';
import { commandIds } from '../editor/commandIds.ts';

/** A proposal; a question of which the CLI's record says that it is up; or a CLI that has rung or is done. */
class Wait {
  /** It was in view for a while. */
  isSeen = false;
  /** By a notification. */
  isTold = false;
  /** What is told of it may go. */
  readonly known = new Deferred<void>();

  constructor(
    readonly session: Proposer,
    readonly about: Proposal | 'question' | 'call',
    /** The calls of tools that the question can be about, by their ids. */
    public asks: readonly string[] = [],
  ) {}

  get proposal(): Proposal | undefined {
    return typeof this.about === 'string' ? undefined : this.about;
  }
}

/** A diff needs a moment to open, and the user one to look away, in ms: what is in view then needs no word. */
const grace = 1_500;

/** A CLI that is done so soon after a rejection, in ms, was stopped by it. */
const stopping = 5_000;

/** A CLI that works again so soon after a decision, in ms, does so because of it. */
const resumption = 2_000;

interface AttentionDependencies {
  bridge: Bridge;
  proposals: Proposals;
  sessionTerminals: SessionTerminals;
  userPlace: UserPlace;
  /** Of CLIs without a session file (2.0 and 1.0), and of all where none may be read. */
  signs: TerminalSigns;
  sessionRecords: SessionRecords;
  /** How many files it has changed that wait for review. */
  changedFiles(session: Session): number;
}

/** Knows which sessions wait for the user, and says so, once, when that is out of view. */
export class Attention implements vscode.Disposable {
  private waits: Wait[] = [];
  private lastDecision = -Infinity;
  private readonly rejections = new WeakMap<Proposer, number>();
  /** As the record had it last. */
  private readonly states = new WeakMap<Session, SessionState['status']>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Of the proposals that are out of view. */
  private notice: Notice | undefined;

  readonly onDidChange = this.changed.event;

  constructor(private readonly dependencies: AttentionDependencies) {
    const { bridge, proposals, userPlace, sessionTerminals, signs, sessionRecords } = dependencies;
    const look = () => this.look();
    this.subscriptions = vscode.Disposable.from(
      proposals.onDidChange(() => this.followProposals()),
      sessionRecords.onDidChange((session) => this.followRecord(session)),
      // It also works without one, as when a command in the background has ended.
      sessionRecords.onDidPrompt((session) => this.followUserInto(session)),
      signs.onDidCall((terminal) => this.signedIn(terminal).forEach((session) => this.call(session))),
      signs.onDidChange((terminal) => {
        if (signs.isWorking(terminal)) {
          this.signedIn(terminal).forEach((session) => this.goesOn(session));
        }
      }),
      // The CLI calls tools when it goes on.
      bridge.onDidUse((session) => this.isSigned(session) && this.end(session, 'call')),
      bridge.onDidChangeState(() =>
        this.keep(({ session }) => !(session instanceof Session) || bridge.sessions.has(session)),
      ),
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) =>
        sessionTerminals.sessionsIn(terminal).forEach((session) => this.end(session, 'call')),
      ),
      vscode.window.onDidChangeWindowState(look),
      userPlace.onDidChange(look),
      vscode.window.tabGroups.onDidChangeTabs(look),
    );
  }

  /** Those with a question out of view, in the terminal; proposals have a view of their own. */
  get asking(): ReadonlySet<Session> {
    return new Set(
      this.unseenWaits.flatMap(({ proposal, session }) =>
        !proposal && session instanceof Session ? [session] : [],
      ),
    );
  }

  /** How many sessions wait where the user cannot see it now. */
  get unseen(): number {
    return new Set(this.unseenWaits.map(({ session }) => session)).size;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
    this.changed.dispose();
    this.waits.forEach(({ known }) => known.settle());
    this.notice?.end();
  }

  /** That a CLI has called is known once it was seen; whatever is to be answered is not over with that. */
  private get unseenWaits(): Wait[] {
    return this.waits.filter((wait) => !this.isInView(wait) && !(wait.about === 'call' && wait.isSeen));
  }

  /** No session file says what it is at. */
  private isSigned(session: Session): boolean {
    return !this.dependencies.sessionRecords.stateOf(session);
  }

  private signedIn(terminal: vscode.Terminal): Session[] {
    return this.dependencies.sessionTerminals
      .sessionsIn(terminal)
      .filter((session) => this.isSigned(session));
  }

  private followProposals(): void {
    const { all } = this.dependencies.proposals;
    for (const { proposal, session } of this.waits) {
      if (proposal && !all.includes(proposal)) {
        const at = (this.lastDecision = performance.now());
        void proposal.outcome.promise.then(
          ({ kind }) => kind === 'rejected' && this.rejections.set(session, at),
        );
      }
    }
    const known = new Set(this.waits.map(({ proposal }) => proposal));
    const added = all.filter((proposal) => !known.has(proposal));
    const isAsked = (session: Proposer) => added.some((proposal) => proposal.session === session);
    // The question that goes with a proposal is the same wait.
    this.keep(({ proposal, session }) => (proposal ? all.includes(proposal) : !isAsked(session)));
    this.waits.push(...added.map((proposal) => new Wait(proposal.session, proposal)));
    this.lookAnew();
  }

  private followRecord(session: Session): void {
    const { sessionRecords, sessionTerminals } = this.dependencies;
    const state = sessionRecords.stateOf(session);
    const before = this.states.get(session);
    if (!state) {
      this.states.delete(session);
      this.end(session, 'question');
      return;
    }
    this.states.set(session, state.status);
    if (state.status === 'waiting') {
      this.end(session, 'call');
      this.ask(session, state);
      return;
    }
    this.end(session, 'question');
    if (state.status === 'working' && before === 'waiting') {
      this.goesOn(session);
    } else if (state.status === 'working' || before === undefined) {
      this.end(session, 'call'); // or by a sign that nobody needs any more
    } else if (
      // A command in the background is a part of its work.
      state.status === 'idle' &&
      before !== 'idle' &&
      performance.now() - (this.rejections.get(session) ?? -Infinity) > stopping &&
      sessionRecords.of(session)?.turn?.isInterrupted !== true &&
      // Of a CLI elsewhere, in tmux for example, it is not known whether the user looks at it.
      sessionTerminals.terminalOf(session)
    ) {
      this.call(session);
    }
  }

  private goesOn(session: Session): void {
    this.end(session, 'call');
    // Else the user has answered it in its terminal.
    const hasDecided = performance.now() - this.lastDecision < resumption;
    if (!hasDecided) {
      this.followUserInto(session);
    }
  }

  private followUserInto(session: Session): void {
    const { sessionTerminals, userPlace } = this.dependencies;
    const terminal = sessionTerminals.terminalOf(session);
    if (terminal && terminal === vscode.window.activeTerminal) {
      userPlace.prompted(session);
    }
  }

  private ask(session: Session, { asks }: Extract<SessionState, { status: 'waiting' }>): void {
    const ids = asks.map(({ id }) => id);
    const question = this.waits.find((wait) => wait.session === session && wait.about === 'question');
    if (question?.asks.length === 0) {
      question.asks = ids; // the transcript comes after the session file
    }
    this.keep((wait) => wait !== question || ids.length === 0 || wait.asks.some((id) => ids.includes(id)));
    if (!this.waits.some((other) => other.session === session)) {
      this.waits.push(new Wait(session, 'question', ids));
      this.lookAnew();
    }
  }

  private call(session: Session): void {
    // One that goes with a proposal, or comes again, is the same wait.
    if (!this.waits.some((other) => other.session === session)) {
      this.waits.push(new Wait(session, 'call'));
      this.lookAnew();
    }
  }

  private end(session: Session, about: 'question' | 'call'): void {
    this.keep((wait) => wait.session !== session || wait.about !== about);
  }

  private keep(predicate: (wait: Wait) => boolean): void {
    const over = this.waits.filter((wait) => !predicate(wait));
    if (over.length > 0) {
      this.waits = this.waits.filter((wait) => !over.includes(wait));
      over.forEach(({ known }) => known.settle());
      this.tellOfProposals();
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
    const { bridge, sessionTerminals, signs } = this.dependencies;
    this.timer = undefined;
    // One that was up behind a proposal is up still when that is decided.
    bridge.sessions.forEach((session) => this.followRecord(session));
    let hasNewProposal = false;
    for (const wait of this.waits.filter(({ isSeen }) => !isSeen)) {
      wait.isSeen = this.isInView(wait);
      if (wait.isSeen) {
        wait.known.settle();
      } else if (!wait.isTold && setting('attention.notify')) {
        wait.isTold = true;
        if (wait.proposal) {
          hasNewProposal = true;
        } else {
          this.notify(wait);
        }
      }
    }
    this.tellOfProposals(hasNewProposal);
    // Of a CLI that does not tell when it goes on, the next call is another question.
    this.keep(
      ({ session, about, isSeen }) =>
        about !== 'call' || !isSeen || signs.hasTold(sessionTerminals.terminalOf(session)),
    );
  }

  private notify({ session, about, known }: Wait): void {
    const label = printable(session.label);
    const state = session instanceof Session ? this.dependencies.sessionRecords.stateOf(session) : undefined;
    const isOver = about === 'call' && state;
    const question = state?.status === 'waiting' ? questionText(state, 80) : 'It asks.';
    const changed = isOver && session instanceof Session ? this.dependencies.changedFiles(session) : 0;
    const show = { title: 'Show', command: commandIds.showSession, arguments: [session.id] };
    const review = { title: 'Review', command: commandIds.reviewChanges, arguments: [session.pid] };
    const notice = new Notice();
    notice.say(
      `${label} ${isOver ? 'has finished' : 'waits for you'}`,
      changed > 0 ? [show, review] : show,
      changed > 0
        ? `${counted(changed, 'changed file waits', 'changed files wait')} for review.`
        : about === 'question'
          ? question
          : '',
    );
    void known.promise.then(() => notice.end());
  }

  /** One for all that are out of view; where others have come, or none is left, the one before goes. */
  private tellOfProposals(hasNew = false): void {
    const told = this.waits.flatMap(({ proposal, isTold, isSeen }) =>
      proposal && isTold && !isSeen ? [proposal] : [],
    );
    const [first, ...others] = told;
    if (hasNew || !first) {
      this.notice?.end();
      this.notice = hasNew ? new Notice() : undefined;
    }
    if (first) {
      const names = told.map(({ fileName }) => fileName);
      const sessions = new Set(told.map(({ session }) => printable(session.label)));
      const who =
        sessions.size > 1 ? `${sessions.size} sessions propose` : `${[...sessions].join()} proposes`;
      this.notice?.say(
        others.length > 0 ? `${who} ${told.length} changes` : `${who} a change to ${first.fileName}`,
        { title: 'Show', command: commandIds.openProposal, arguments: [first.uri] },
        others.length > 0 ? printable(names.join(', '), 80) : '',
      );
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
