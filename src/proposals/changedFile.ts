import * as vscode from 'vscode';
import { diffLines } from '../base/lineDiff.ts';
import { counted, withLf } from '../base/text.ts';
import { replacement } from '../editor/replacement.ts';
import type { Outcome } from '../tools/openDiff.ts';
import type { KeptVersions } from './keptVersions.ts';
import { merged, textToTell } from './merge.ts';
import type { Proposal } from './proposal.ts';
import { isReviewingAll } from './proposalTabs.ts';
import { giveUnlessWritten } from './unwrittenText.ts';
import { saveOriginal } from './unsavedChanges.ts';

/** How a proposal is shown, and what its proposed side holds now. */
interface Shown {
  readonly text: () => Promise<string>;
  readonly show: () => Promise<void>;
}

/**
 * Accepts a proposal whose file has changed since it was made: asks where something else may be written than the diff
 * shows, in a way that cannot get out of sight.
 * @returns undefined while it stays under review
 */
export async function acceptOverChanges(
  proposal: Proposal,
  versions: KeptVersions,
  shown: Shown,
): Promise<Outcome | undefined> {
  const outcome = await (proposal.isOverUnsavedChanges ? askAboutUnsavedChanges : acceptOverNewerText)(
    proposal,
    shown,
  );
  if (outcome?.kind === 'accepted') {
    void giveUnlessWritten(proposal, await shown.text(), outcome, versions);
  }
  return outcome;
}

async function acceptOverNewerText(proposal: Proposal, shown: Shown): Promise<Outcome | undefined> {
  const text = await shown.text();
  proposal.base.look(); // it may have been saved meanwhile
  const finalText = finalTextFor(proposal, text);
  return finalText === undefined ? askAboutNewerText(proposal, shown) : { kind: 'accepted', finalText };
}

function accepted(proposal: Proposal, text: string): Outcome {
  return { kind: 'accepted', finalText: proposal.finalText(text) };
}

/** The CLI writes the file on disk; what the user has typed and not saved is not in it. */
async function askAboutUnsavedChanges(proposal: Proposal, shown: Shown): Promise<Outcome | undefined> {
  const [saveFirst, acceptAnyway, reject] = ['Save First', 'Accept Anyway', 'Reject'];
  const choice = await vscode.window.showWarningMessage(
    `${proposal.fileName} has unsaved changes that Claude Code has not seen.`,
    {
      modal: true,
      detail:
        'Accept, and it writes the file without them: they stay unsaved in your editor. ' +
        'Save first, and you can compare, merge and decide again: then they stay in the file, or it is read and edited anew.',
    },
    saveFirst,
    acceptAnyway,
    reject,
  );
  if (choice === saveFirst && !proposal.outcome.isSettled) {
    await saveOriginal(proposal);
  }
  if (choice === acceptAnyway && !proposal.outcome.isSettled) {
    return proposal.base.look()
      ? acceptOverNewerText(proposal, shown)
      : accepted(proposal, await shown.text());
  }
  return choice === reject ? { kind: 'rejected' } : undefined;
}

async function askAboutNewerText(proposal: Proposal, { text, show }: Shown): Promise<Outcome | undefined> {
  const { base, fileName } = proposal;
  const canMerge = proposal.canMerge && base.isOutdated; // else its diff has what is newer already
  const [harmless, acceptAnyway, reject] = [canMerge ? 'Merge' : 'Show Diff', 'Accept Anyway', 'Reject'];
  const accepting = makesChanges(proposal)
    ? 'Accept, and Claude Code makes its changes by itself there, or refuses and has the model read the file anew: then what you have typed here becomes an unsaved document.'
    : 'Accept, and what is newer in the file may be lost.';
  const choice = await vscode.window.showWarningMessage(
    `${fileName} has changed since this was proposed.`,
    {
      modal: true,
      detail: canMerge
        ? `Merge, and the diff shows the proposed changes in the file as it is now: you decide again. ${accepting}`
        : accepting,
    },
    harmless,
    acceptAnyway,
    reject,
  );
  if (choice === harmless && !proposal.outcome.isSettled) {
    await (canMerge && mergeWithFile(proposal));
    if (!isReviewingAll()) {
      await show();
    }
  }
  if (choice === acceptAnyway && !proposal.outcome.isSettled) {
    return accepted(proposal, await text());
  }
  return choice === reject ? { kind: 'rejected' } : undefined;
}

/** Puts its changes into the file as it is now, as an edit of the proposed side that can be undone. */
export async function mergeWithFile(proposal: Proposal): Promise<void> {
  const { base, fileName, uri } = proposal;
  base.look();
  const text = withLf((await vscode.workspace.openTextDocument(uri)).getText());
  const merge = proposal.canMerge
    ? merged(base.isOutdated ? base.madeFor : base.bytes, base.now, text)
    : undefined;
  if (!merge) {
    void vscode.window.showErrorMessage(
      `${fileName} differs too much from what it was: it cannot be merged.`,
    );
    return;
  }
  base.targets.set(text, base.madeFor).set(merge.text, base.now);
  base.follow(merge.text);
  if (!(await replaceText(uri, text, merge.text))) {
    base.follow(text);
    void vscode.window.showErrorMessage('The editor does not let this proposal be edited.');
    return;
  }
  proposal.follow(text, merge.text);
  if (merge.leftOut > 0) {
    const [words, undo] = [counted(merge.leftOut, 'proposed change was', 'proposed changes were'), 'Undo'];
    void vscode.window
      .showInformationMessage(`${words} left out: ${fileName} has other lines there now.`, undo)
      .then(async (choice) => {
        if (choice === undo && (proposal.outcome.isSettled || !(await replaceText(uri, merge.text, text)))) {
          void vscode.window.showErrorMessage(`The proposal for ${fileName} was edited or decided since.`);
        }
      });
  }
}

/** Line by line. @returns whether it was `from`, and the editor took it */
async function replaceText(uri: vscode.Uri, from: string, to: string): Promise<boolean> {
  const document = await vscode.workspace.openTextDocument(uri);
  if (withLf(document.getText()) !== from) {
    return false;
  }
  const lines = to.split('\n');
  const edit = new vscode.WorkspaceEdit();
  for (const hunk of diffLines(lines, from.split('\n')).hunks) {
    const { range, text } = replacement(document, hunk, lines.slice(hunk.beforeStart, hunk.beforeEnd));
    edit.replace(uri, range, text);
  }
  return from === to || vscode.workspace.applyEdit(edit); // which takes no empty one
}

/** @returns undefined where the file may become something else than the diff shows */
function finalTextFor(proposal: Proposal, text: string): string | undefined {
  const { base } = proposal;
  if (!makesChanges(proposal)) {
    return base.isOutdated ? undefined : proposal.finalText(text);
  }
  const told = textToTell(base.bytes, base.now, withLf(text), proposal.shownFirst);
  return told === undefined ? undefined : proposal.finalText(told);
}

/**
 * CLI 2.1, as seen where newer lines stood around and within: it puts what it is told for all that it had read, in the file
 * as it is then, and refuses where that is not there in one piece.
 */
function makesChanges({ session }: Proposal): boolean {
  return session.clientInfo?.name === 'claude-code';
}
