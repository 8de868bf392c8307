import { openDocument, saveNotebook } from '../editor/documents.ts';
import type { Proposal } from './proposal.ts';

/** The diff then compares with what is on disk, and says that the proposal was made for an older text. */
export async function saveOriginal(proposal: Proposal): Promise<void> {
  await openDocument(proposal.original)?.save();
  await saveNotebook(proposal.original);
}
