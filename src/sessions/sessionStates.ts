import * as vscode from 'vscode';
import type { Proposal } from '../proposals/proposal.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Session } from '../server/session.ts';
import type { Attention } from './attention.ts';
import type { SessionRecords } from './sessionRecords.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { proposalsText, questionText } from './stateText.ts';
import type { TerminalSigns } from './terminalSigns.ts';

/** Those of sessions that wait for the user come first, the most urgent before the others. */
const icons = {
  asks: 'question',
  proposes: 'diff',
  calls: 'bell-dot',
  done: 'pass',
  working: 'loading~spin',
  idle: 'sparkle',
} as const;

type StateKind = keyof typeof icons;
const kinds = Object.keys(icons) as StateKind[];

/** What a session is at, as a person is told. */
export interface StateWords {
  readonly kind: StateKind;
  readonly icon: string;
  readonly text: string;
}

export function stateWords(kind: StateKind, text: string): StateWords {
  return { kind, icon: icons[kind], text };
}

/** A CLI that was connected before the bridge was away, and is not. */
export interface AbsentCli {
  readonly pid: number;
  readonly label: string;
  /** What is to be expected of it, or done. */
  readonly text: string;
  /** It has given up; until then it comes back by itself. */
  readonly isLost: boolean;
  /** In which it runs; always there of one that is lost. */
  readonly terminal: vscode.Terminal | undefined;
}

interface SessionStatesDependencies {
  bridge: Bridge;
  proposals: Proposals;
  sessionTerminals: SessionTerminals;
  attention: Attention;
  signs: TerminalSigns;
  records: SessionRecords;
}

/** What each session is at, in the same words wherever it is shown. */
export class SessionStates implements vscode.Disposable {
  private absentClis: readonly AbsentCli[] = [];
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;

  readonly onDidChange = this.changed.event;
  /** Looks for terminals of the absent ones now; of `followAbsent`. */
  lookForAbsent: () => Promise<void> | undefined = () => undefined;

  constructor(private readonly dependencies: SessionStatesDependencies) {
    const { bridge, proposals, sessionTerminals, attention, signs, records } = dependencies;
    const update = () => this.changed.fire();
    this.subscriptions = vscode.Disposable.from(
      this.changed,
      bridge.onDidChangeState(update),
      proposals.onDidChange(update),
      sessionTerminals.onDidChange(update),
      attention.onDidChange(update),
      signs.onDidChange(update),
      records.onDidChange(update),
    );
  }

  proposalsOf(session: Session): Proposal[] {
    return this.dependencies.proposals.all.filter((proposal) => proposal.session === session);
  }

  of(session: Session): StateWords {
    return stateWords(...this.describe(session));
  }

  /** Those that wait for the user, in view or not, the most urgent first. */
  get waiting(): { session: Session; state: StateWords }[] {
    const working = kinds.indexOf('working');
    return [...this.dependencies.bridge.sessions]
      .map((session) => ({ session, state: this.of(session) }))
      .filter(({ state }) => kinds.indexOf(state.kind) < working)
      .sort((one, other) => kinds.indexOf(one.state.kind) - kinds.indexOf(other.state.kind));
  }

  /** One that asks something in its terminal. */
  get asking(): Session | undefined {
    return this.waiting.find(({ state }) => state.kind === 'asks')?.session;
  }

  /** See `followAbsent`. */
  get absent(): readonly AbsentCli[] {
    const { bridge, sessionTerminals } = this.dependencies;
    const absent = bridge.port === undefined ? [] : sessionTerminals.absent; // by now
    return this.absentClis.filter((cli) => absent.some(({ pid }) => pid === cli.pid));
  }

  tellAbsent(clis: readonly AbsentCli[]): void {
    this.absentClis = clis;
    this.changed.fire();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private describe(session: Session): [StateKind, string] {
    const { attention, sessionTerminals, signs, records } = this.dependencies;
    const proposals = this.proposalsOf(session).length;
    if (proposals > 0) {
      return ['proposes', proposalsText(proposals)];
    }
    const state = records.stateOf(session);
    if (state?.status === 'waiting') {
      return ['asks', questionText(state)];
    }
    if (state?.status === 'working') {
      return ['working', 'Working'];
    }
    if (attention.asking.has(session)) {
      return state ? ['done', 'Done'] : ['calls', 'Waiting for you'];
    }
    if (state) {
      return ['idle', 'Idle'];
    }
    const terminal = sessionTerminals.terminalOf(session);
    if (signs.isWorking(terminal)) {
      return ['working', 'Working'];
    }
    // All that a transcript alone tells.
    const { status } = records.of(session)?.state ?? {};
    if (status !== undefined) {
      return status === 'running' ? ['working', 'Working or asking'] : ['idle', 'Idle'];
    }
    return ['idle', signs.hasTold(terminal) ? 'Idle or asking' : 'Connected'];
  }
}
