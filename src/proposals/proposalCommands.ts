import * as vscode from 'vscode';
import type { Hunks } from './hunks.ts';
import { Proposal } from './proposal.ts';
import type { Proposals } from './proposals.ts';
import { proposalScheme } from '../editor/schemes.ts';
import { saveOriginal } from './unsavedChanges.ts';
import { Proposer } from '../server/proposer.ts';
import {
  byKey,
  type CommandHandler,
  commandIds,
  type CommandName,
  fromElsewhere,
  fromTerminal,
  onRow,
  thatAsks,
} from '../editor/commandIds.ts';
import type { ReviewTree } from '../editor/reviewTree.ts';
import { HunkCommands } from './hunkCommands.ts';
import type { ReviewAll } from './reviewAll.ts';

/** What is said of those that were not. */
const past = { accept: 'accepted', reject: 'rejected', keep: 'kept', drop: 'dropped' };

type Verb = keyof typeof past;
type WholeVerb = 'accept' | 'reject';

/**
 * Arguments come from where the command was called: a URI from the title bar or from a lens, a proposal
 * or a session from the tree, nothing from the palette (then it is about the diff in front, as by a key).
 */
export function proposalCommands(
  proposals: Proposals,
  hunks: Hunks,
  reviewAll: ReviewAll,
  tree: Pick<ReviewTree, 'refuseClick' | 'isSection' | 'beside'>,
  rejected: readonly Proposal[],
) {
  const about = (act: (proposal: Proposal) => unknown) => commandAbout(proposals, tree, act);
  const hunkCommands = new HunkCommands(hunks, proposals);
  /** The whole file is decided after its hunks, if those were, and not when it was decided otherwise meanwhile. */
  const inTurn = (act: (proposal: Proposal) => Promise<void>) => async (proposal: Proposal) => {
    if ((await hunkCommands.done()) && proposals.find(proposal.uri) === proposal) {
      await act(proposal);
    }
  };
  const decide = (verb: WholeVerb) => {
    return async (argument: unknown, focused?: unknown) => {
      const isOnRow = argument === onRow;
      const named = isOnRow ? focused : argument;
      const act = inTurn(({ uri }) => proposals[verb](uri, { isOnRow }));
      if (named instanceof Proposer) {
        await decideAll(verb, isOnRow)(named);
      } else if (argument === byKey) {
        await actOnKey(proposals, act, verb, 'press');
      } else {
        const goOn = isOnRow && named instanceof Proposal ? tree.beside(named) : undefined;
        await about(act)(named);
        await goOn?.();
      }
    };
  };
  const chosenBy = (argument: unknown) => {
    if ((argument instanceof Proposer || tree.isSection(argument)) && tree.refuseClick(argument)) {
      return [];
    }
    const chosen =
      argument instanceof vscode.Uri
        ? reviewAll.shown()
        : proposals.all.filter(({ session }) => !(argument instanceof Proposer) || session === argument);
    if (chosen.length === 0) {
      sayThatThereIsNone(proposals);
    }
    return chosen;
  };
  const decideAll =
    (verb: WholeVerb, isOnRow = false) =>
    async (argument: unknown) => {
      const chosen = chosenBy(argument);
      const decided = verb === 'accept' ? firstOfEachFile(chosen) : chosen;
      if (
        decided.length < 2 ||
        (await (await import('./mayDecideAll.ts')).mayDecideAll(verb, reviewAll, decided))
      ) {
        // Together: one over unsaved changes may wait for an answer.
        await Promise.all(decided.map(inTurn(({ uri }) => proposals[verb](uri, { isOnRow }))));
        const left = chosen.filter((proposal) => !decided.includes(proposal));
        if (left.length > 0) {
          const names = [...new Set(left.map(({ fileName }) => fileName))].join(', ');
          void vscode.window.showInformationMessage(
            `Several proposals are for ${names}: they are accepted one at a time. Look at the next one once the first is written.`,
          );
        }
      }
    };
  /** By a lens, which names the proposal and the line, or by a key or the palette, at the cursor. */
  const decideHunk = (verb: 'keep' | 'drop') => (argument: unknown, line: unknown) => {
    const act = (proposal: Proposal) =>
      hunkCommands[verb](proposal, typeof line === 'number' ? line : undefined);
    return argument === byKey ? actOnKey(proposals, act, verb, 'press') : about(act)(argument);
  };
  return {
    acceptProposal: decide('accept'),
    rejectProposal: decide('reject'),
    acceptAllProposals: decideAll('accept'),
    rejectAllProposals: decideAll('reject'),
    // One that comes too soon does not even save: the editor would write a notebook in a form of its own.
    saveProposal: (argument: unknown) =>
      argument === fromElsewhere
        ? saveFromElsewhere(proposals)
        : actOnKey(
            proposals,
            inTurn((proposal) => proposals.saveFocused(proposal)),
            'accept',
            'save',
          ),
    openProposal: (argument: unknown) => open(proposals, argument),
    reviewAllProposals: () => (proposals.all.length > 0 ? reviewAll.open() : sayThatThereIsNone(proposals)),
    saveBeforeReview: about(saveOriginal),
    mergeProposal: about((proposal) => proposals.merge(proposal)),
    nextHunk: about((proposal) => hunkCommands.go(proposal, 1)),
    previousHunk: about((proposal) => hunkCommands.go(proposal, -1)),
    keepHunk: decideHunk('keep'),
    dropHunk: decideHunk('drop'),
    openRejected: async () => (await import('./rejectedTexts.ts')).openRejected(rejected),
  } satisfies Partial<Record<CommandName, CommandHandler>>;
}

/** A command about one proposal, by its argument: not by that of a row on which a click may be meant for another. */
export function commandAbout(
  proposals: Proposals,
  tree: Pick<ReviewTree, 'refuseClick'>,
  act: (proposal: Proposal) => unknown,
): CommandHandler {
  return (argument: unknown) => {
    if (argument instanceof Proposal && tree.refuseClick(argument)) {
      return undefined;
    }
    const proposal = find(proposals, argument);
    return proposal ? act(proposal) : sayThatThereIsNone(proposals);
  };
}

function find(proposals: Proposals, argument: unknown): Proposal | undefined {
  const uri = argument instanceof Proposal ? argument.uri : argument;
  // One that has been decided meanwhile does not stand for another.
  return uri instanceof vscode.Uri && uri.scheme === proposalScheme ? proposals.find(uri) : proposals.active;
}

/** The next one after the one in front, oldest first; from a terminal that one, as the user is not in it. */
async function open(proposals: Proposals, argument: unknown): Promise<void> {
  const { all, active } = proposals;
  if (all.length === 0 && (argument === undefined || argument === fromTerminal)) {
    // After a reload, for one: the CLI still asks, in its terminal.
    await vscode.commands.executeCommand(commandIds.showSession, thatAsks);
    return;
  }
  const next = all[(active ? all.indexOf(active) + 1 : 0) % all.length];
  const isNext = argument === undefined || (argument === fromTerminal && !active);
  const proposal = isNext ? next : find(proposals, argument);
  await (proposal ? proposals.show(proposal) : sayThatThereIsNone(proposals));
}

/** About the diff in front, if there is one: while the last one closes, a key that is held finds none. */
async function actOnKey(
  proposals: Proposals,
  act: (proposal: Proposal) => Promise<void>,
  verb: Verb,
  way: 'press' | 'save',
): Promise<void> {
  const { active } = proposals;
  if (active && proposals.takesKey()) {
    await act(active);
  } else if (active) {
    vscode.window.setStatusBarMessage(
      `Not ${past[verb]}: the proposal came to the front only just now. Wait a moment, then ${way} again.`,
      5_000,
    );
  }
}

/** The key says yes to a diff in front only where that has the focus: it may be meant for what the user types in. */
async function saveFromElsewhere(proposals: Proposals): Promise<void> {
  const { active } = proposals;
  await proposals.saveFromElsewhere();
  if (active) {
    vscode.window.setStatusBarMessage(`Not ${past.accept}: the focus is not in the diff.`, 5_000);
  }
}

/** What the others were made for is gone when the first is written. */
function firstOfEachFile(proposals: Proposal[]): Proposal[] {
  const isFirst = ({ filePath }: Proposal, index: number) =>
    proposals.findIndex((other) => other.filePath === filePath) === index;
  return proposals.filter(isFirst);
}

/** Others may wait. */
function sayThatThereIsNone({ all }: Proposals): void {
  void vscode.window.showInformationMessage(
    all.length === 0
      ? 'No proposed change is open.'
      : 'Nothing was done: that proposal is decided already, or not in front. Open Proposal goes to one that waits.',
  );
}
