import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { once } from '../base/emitter.ts';
import type { Logger } from '../base/logger.ts';
import type { ReviewTree } from '../editor/reviewTree.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Bridge } from '../server/bridge.ts';
import {
  type CommandHandler,
  commandIds,
  forNothing,
  loadedCommands,
  proposalCommandNames,
} from '../editor/commandIds.ts';
import { HunkLenses } from './hunkLenses.ts';
import { Hunks } from './hunks.ts';
import type { Proposal } from './proposal.ts';
import { Proposals } from './proposals.ts';
import { ProposalStatus } from './proposalStatus.ts';
import { ProposalsSection, type TerminalsOfSessions } from './proposalsSection.ts';
import type { ReviewAll, ReviewOfAll } from './reviewAll.ts';
import { TypedTexts } from './typedTexts.ts';
import { typedTextsDir } from './typedTextsDir.ts';

/** How many of those that were rejected can be looked at again. */
const rejectedKept = 20;

/** Edits that wait for the user's decision, and all that shows them. */
export class ProposalsFeature implements Disposable {
  readonly proposals: Proposals;
  private readonly hunks: Hunks;
  private readonly reviewAll: ReviewAll = {
    open: () => this.openReviewOfAll(),
    shown: () => this.reviewOfAll?.shown() ?? [],
  };
  private reviewOfAll: ReviewOfAll | undefined;
  /** Newest first. */
  private readonly rejected: Proposal[] = [];
  private readonly store = new DisposableStore();

  constructor(
    bridge: Bridge,
    globalStorageUri: vscode.Uri,
    terminals: TerminalsOfSessions,
    userPlace: UserPlace,
    private readonly tree: ReviewTree,
    log: Logger,
  ) {
    const { store } = this;
    this.proposals = store.add(
      new Proposals(
        log,
        new TypedTexts(typedTextsDir(globalStorageUri)),
        () => bridge.sessions.size > 1,
        userPlace,
        (proposal) => tree.listed(proposal),
      ),
    );
    const { proposals } = this;
    this.hunks = store.add(new Hunks(proposals));
    store.add(
      proposals.onDidDecide(({ proposal, isAccepted }) => {
        if (!isAccepted) {
          this.rejected.unshift(proposal);
          this.rejected.splice(rejectedKept);
        }
      }),
    );
    store.add(proposals.onDidPrompt((session) => userPlace.prompted(session)));
    store.add(new ProposalStatus(proposals));
    store.add(tree.add(store.add(new ProposalsSection(proposals, this.hunks, terminals))));
    store.add(new HunkLenses(proposals, this.hunks));
    store.add(
      proposals.onDidDecide(async (decision) => {
        const { keepAcceptedFileOpen } = await import('./acceptedFiles.ts');
        await keepAcceptedFileOpen(decision);
      }),
    );
    store.add(
      once(proposals.onDidChange, () => {
        void loadCommands(); // the first key shall not wait for them
        keepKeysInOrder();
      }),
    );
  }

  commands() {
    return loadedCommands(proposalCommandNames, async () =>
      (await loadCommands()).proposalCommands(
        this.proposals,
        this.hunks,
        this.reviewAll,
        this.tree,
        this.rejected,
      ),
    );
  }

  /** See there. */
  commandAbout(act: (proposal: Proposal) => unknown): CommandHandler {
    return async (argument) => (await loadCommands()).commandAbout(this.proposals, this.tree, act)(argument);
  }

  dispose(): void {
    this.store.dispose();
  }

  private async openReviewOfAll(): Promise<void> {
    const { ReviewOfAll } = await import('./reviewAll.ts');
    this.reviewOfAll ??= this.store.add(new ReviewOfAll(this.proposals));
    await this.reviewOfAll.open();
  }
}

function loadCommands() {
  return import('./proposalCommands.ts');
}

/**
 * Before it first runs a command, VS Code asks for its extension, and runs those meanwhile that it has run before: a key
 * that accepts would overtake the one before it that drops a change. So each is run once for nothing, by a command of the
 * editor's own, as those of this extension do not come by there. All at once: while one of them had been run and another
 * not, they would be out of their order.
 */
function keepKeysInOrder(): void {
  for (const name of [...proposalCommandNames, 'acceptOrKeep', 'rejectOrRevert'] as const) {
    const commands = [{ command: commandIds[name], args: forNothing }];
    vscode.commands.executeCommand('runCommands', { commands }).then(undefined, () => {}); // an editor may not have it
  }
}
