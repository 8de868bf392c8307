import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { ProposalsFeature } from '../proposals/feature.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Session } from '../server/session.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import type { SharingFeature } from '../sharing/feature.ts';
import { describeMentions, Mentions, type Prompts } from './mentions.ts';
import { registerProblemActions } from './problemActions.ts';
import type { Reasons } from './reasons.ts';
import { WaitingReasons } from './waitingReasons.ts';

export interface MentionsFeatureDependencies {
  bridge: Bridge;
  proposals: Proposals;
  proposing: Pick<ProposalsFeature, 'commandAbout'>;
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
  private readonly prompts: Prompts;
  /** Those of which the user has been asked whether their prompt is there. */
  private readonly askedAbout = new WeakSet<Session>();
  private reasons: Reasons | undefined;
  private readonly store = new DisposableStore();

  constructor(
    private readonly dependencies: MentionsFeatureDependencies,
    workspaceState: vscode.Memento,
  ) {
    const { bridge, records, proposals } = dependencies;
    this.prompts = {
      isOpen: (session) => promptIsOpen(records, session),
      onDidChange: records.onDidChange,
    };
    const mentions = this.store.add(new Mentions(bridge, workspaceState, this.prompts));
    this.mentions = mentions;
    this.store.add(proposals.onDidPrompt((session) => mentions.sendNow(session)));
    this.store.add(mentions.onDidChange(() => this.askForWord()));
    this.store.add(records.onDidChange(() => this.askForWord()));
    this.store.add(
      mentions.onDidSendWaiting(({ mentions }) => {
        // The names last: a narrow window cuts off what comes there.
        const text = `$(mention) Mentioned. Not there? Click Claude here. (${describeMentions(mentions)})`;
        vscode.window.setStatusBarMessage(text, 10_000);
      }),
    );
    this.waitingReasons = this.store.add(new WaitingReasons(workspaceState));
    this.store.add(registerProblemActions());
    if (this.waitingReasons.all.length > 0) {
      void this.loadReasons();
    }
  }

  commands() {
    const { mentions, prompts } = this;
    const { proposing, sessionTerminals, sharing } = this.dependencies;
    const dependencies = {
      mentions,
      prompts,
      sessionTerminals,
      sharing: sharing.sharing,
    };
    /** Each of the selections, or the file in front. */
    const mentionSelected = async () => {
      const selected = sharing.selections.mentions; // of now, whatever is in front once the chunk is there
      await (await import('./mentionCommands.ts')).mention(dependencies, selected);
    };
    return {
      mention: mentionSelected,
      mentionFiles: async (...args: unknown[]) => {
        if (args.length === 0) {
          await mentionSelected();
          return;
        }
        await (await import('./mentionCommands.ts')).mentionFiles(dependencies, args);
      },
      rejectProposalWithReason: proposing.commandAbout(async (proposal) =>
        (await this.loadReasons()).reject(proposal),
      ),
    };
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Where nothing tells whether the prompt is there, the user sees it. */
  private askForWord(): void {
    for (const session of this.mentions.waitingForWord.filter((each) => !this.askedAbout.has(each))) {
      this.askedAbout.add(session);
      const sendNow = 'Send Now';
      void vscode.window
        .showInformationMessage(
          `A mention waits for the prompt of ${session.label}, which this CLI does not tell of. Is it there?`,
          sendNow,
        )
        .then((choice) => choice === sendNow && this.mentions.sendNow(session));
    }
  }

  /** What gives the user's words to a CLI whose prompt may not be there. */
  async loadReasons(): Promise<Reasons> {
    const { Reasons } = await import('./reasons.ts');
    this.reasons ??= this.store.add(new Reasons({ ...this.dependencies, waiting: this.waitingReasons }));
    return this.reasons;
  }
}

/** See `Prompts.isOpen`. */
function promptIsOpen(records: SessionRecords, session: Session): boolean | undefined {
  if (session.clientInfo?.name !== 'claude-code') {
    return true; // which opens on no dialog that is known
  }
  const recorded = records.of(session);
  if (!recorded) {
    const isBeingRead = records.isAllowed && session.pid !== undefined;
    return isBeingRead ? false : undefined;
  }
  if (recorded.source.known.startsWith('session file')) {
    const state = records.stateOf(session); // none while it starts
    return state !== undefined && state.status !== 'waiting';
  }
  return recorded.turn ? true : undefined;
}
