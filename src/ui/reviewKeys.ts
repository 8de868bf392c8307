import { sayNothingWasDone } from '../editor/rowMoves.ts';
import type { CommandHandler, CommandName } from '../editor/commandIds.ts';
import type { ReviewTree } from '../editor/reviewTree.ts';
import { Proposer } from '../server/proposer.ts';
import { Proposal } from '../proposals/proposal.ts';

type Decisions = Record<
  Extract<CommandName, 'acceptProposal' | 'rejectProposal' | 'keepFile' | 'revertFile'>,
  CommandHandler
>;

/** Yes and no by key, to what the row with the focus is about. */
export function reviewKeys(tree: ReviewTree, of: Decisions) {
  const decide =
    (ofProposal: CommandHandler, ofChange: CommandHandler): CommandHandler =>
    (onRow, row) => {
      if (tree.isSection(row)) {
        // All at once is not what a key may do that was meant for the row below.
        sayNothingWasDone('the key decides on sessions and files. For all, this row has buttons.');
        return undefined;
      }
      return (row instanceof Proposal || row instanceof Proposer ? ofProposal : ofChange)(onRow, row);
    };
  return {
    acceptOrKeep: decide(of.acceptProposal, of.keepFile),
    rejectOrRevert: decide(of.rejectProposal, of.revertFile),
  };
}
