import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import { commandAbout } from '../proposals/proposalCommands.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { Bridge } from '../server/bridge.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import type { SharingFeature } from '../sharing/feature.ts';
import { mentionFiles, mentionSelection } from './mentionCommands.ts';
import { Mentions, type Questions } from './mentions.ts';
import { registerProblemActions } from './problemActions.ts';
import type { Reasons } from './reasons.ts';
import { WaitingReasons } from './waitingReasons.ts';

export interface MentionsFeatureDependencies {
  bridge: Bridge;
  proposals: Proposals;
  sharing: SharingFeature;
  sessionTerminals: SessionTerminals;
  records: SessionRecords;
  userPlace: UserPlace;
  log: Logger;
}

/** What the user says to a session from the editor: what they point it to, and why a proposal was rejected. */
export class MentionsFeature implements Disposable {
  readonly mentions: Mentions;
  readonly waitingReasons: WaitingReasons;
  private readonly questions: Questions;
  private reasons: Reasons | undefined;
  private readonly store = new DisposableStore();

  constructor(
    private readonly dependencies: MentionsFeatureDependencies,
    workspaceState: vscode.Memento,
  ) {
    const { bridge, records } = dependencies;
    this.questions = {
      isAsking: (session) => records.stateOf(session)?.status === 'waiting',
      onDidChange: records.onDidChange,
    };
    this.mentions = this.store.add(new Mentions(bridge, workspaceState, this.questions));
    this.waitingReasons = this.store.add(new WaitingReasons(workspaceState));
    this.store.add(registerProblemActions());
    if (this.waitingReasons.all.length > 0) {
      void this.loadReasons();
    }
  }

  commands() {
    const { mentions, questions } = this;
    const { proposals, sessionTerminals, sharing } = this.dependencies;
    const dependencies = {
      mentions,
      questions,
      selections: sharing.selections,
      sessionTerminals,
      sharing: sharing.sharing,
    };
    return {
      mention: () => mentionSelection(dependencies),
      mentionFiles: (...args: unknown[]) => mentionFiles(dependencies, args),
      rejectProposalWithReason: commandAbout(proposals, async (proposal) =>
        (await this.loadReasons()).reject(proposal),
      ),
    };
  }

  dispose(): void {
    this.store.dispose();
  }

  private async loadReasons(): Promise<Reasons> {
    const { Reasons } = await import('./reasons.ts');
    this.reasons ??= this.store.add(new Reasons({ ...this.dependencies, waiting: this.waitingReasons }));
    return this.reasons;
  }
}
