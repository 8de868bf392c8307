import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import type { Proposal } from './proposal.ts';

/**
 * Opens what was proposed, as an unsaved document: what a client was told cannot be taken back, but nobody has to ask the
 * model for the text again.
 * @param rejected newest first
 */
export async function openRejected(rejected: readonly Proposal[]): Promise<void> {
  const items = rejected.map((proposal) => ({
    label: withoutIcons(proposal.fileName),
    description: withoutIcons(proposal.session.label),
    detail: withoutIcons(printable(vscode.workspace.asRelativePath(proposal.filePath))),
    proposal,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage('No proposal was rejected in this window.');
    return;
  }
  const title = 'What Was Proposed and Rejected, the Last First';
  const item = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { title });
  if (item) {
    const { filePath, shownFirst: content } = item.proposal;
    const file = vscode.workspace.openTextDocument(vscode.Uri.file(filePath));
    const language = await file.then(
      ({ languageId }) => languageId,
      () => undefined, // it is not there, or no text
    );
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument(language === undefined ? { content } : { content, language }),
      { preview: false },
    );
  }
}
