import type { ProposalReviewer } from '../tools/openDiff.ts';
import type { Tool } from '../tools/tool.ts';
import { applyCodeAction } from './applyCodeAction.ts';
import { format, organizeImports } from './format.ts';
import { rename } from './rename.ts';
import { type EditsByAgents, ReviewedEdits } from './reviewedEdits.ts';
import type { Workshop } from './workshop.ts';

/** The tools that change files, in the order of tools/list. Loaded once the user has switched them on. */
export function createEditingTools(
  workshop: Workshop,
  proposals: ProposalReviewer,
  byAgents: EditsByAgents,
): Tool[] {
  const editing = { ...workshop, reviewed: new ReviewedEdits(proposals, byAgents) };
  return [rename, applyCodeAction, format, organizeImports].map((create) => create(editing));
}
