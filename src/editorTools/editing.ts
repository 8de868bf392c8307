import { asOpened } from '../editor/workspaceFolders.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { Tool } from '../tools/tool.ts';
import { applyCodeAction } from './applyCodeAction.ts';
import type { EditingWorkshop } from './editingTool.ts';
import { format, organizeImports } from './format.ts';
import { rename } from './rename.ts';
import { type EditsByAgents, ReviewedEdits } from './reviewedEdits.ts';
import type { Workshop } from './workshop.ts';

export type ShownProposals = Pick<Proposals, 'review' | 'all' | 'show'>;

/** The tools that change files, in the order of tools/list. Loaded once the user has switched them on. */
export function createEditingTools(
  workshop: Workshop,
  proposals: ShownProposals,
  byAgents: EditsByAgents,
): Tool[] {
  const reviewed = new ReviewedEdits(proposals, byAgents);
  const editing: EditingWorkshop = {
    ...workshop,
    reviewed,
    showReview: (client, edits) => {
      const author = reviewed.authorOf(client);
      const paths = edits.map(({ uri }) => asOpened(uri.fsPath));
      const open = proposals.all.find(
        ({ session, filePath }) => session === author && paths.includes(filePath),
      );
      return open && proposals.show(open);
    },
  };
  return [rename, applyCodeAction, format, organizeImports].map((create) => create(editing));
}
