import * as vscode from 'vscode';
import { openDocument, saveNotebook } from '../editor/documents.ts';
import type { Proposal } from './proposal.ts';

/**
 * The CLI writes the file on disk; what the user has typed and not saved is not in it. Asks only where that is so, and
 * in a way that cannot get out of sight: until it is answered, accepting again does nothing.
 */
export async function askAboutUnsavedChanges(
  proposal: Proposal,
): Promise<'accept' | 'reject' | 'save' | undefined> {
  if (!proposal.isOverUnsavedChanges) {
    return 'accept';
  }
  const [saveFirst, acceptAnyway, reject] = ['Save First', 'Accept Anyway', 'Reject'];
  const choice = await vscode.window.showWarningMessage(
    `${proposal.fileName} has unsaved changes that Claude Code has not seen.`,
    {
      modal: true,
      detail:
        'Accept, and it writes the file without them: they stay unsaved in your editor. ' +
        'Save first, and you can compare and decide again: then they stay in the file, or it is read and edited anew.',
    },
    saveFirst,
    acceptAnyway,
    reject,
  );
  switch (choice) {
    case saveFirst:
      return 'save';
    case acceptAnyway:
      return 'accept';
    case reject:
      return 'reject';
    default:
      return undefined;
  }
}

/**
 * The diff then compares with what is on disk. Merging that into the proposed side would be one merge too many: of a
 * file that has changed since it was read, CLI 2.1 takes over its edit alone, and older ones, as all do with a whole
 * file that they write, leave it alone and have the model read it again.
 */
export async function saveOriginal(proposal: Proposal): Promise<void> {
  await openDocument(proposal.original)?.save();
  await saveNotebook(proposal.original);
}
