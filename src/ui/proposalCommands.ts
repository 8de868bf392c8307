import * as vscode from 'vscode';
import type { Hunks } from '../editor/hunks.ts';
import { Proposal } from '../editor/proposal.ts';
import type { Proposals } from '../editor/proposals.ts';
import { proposalScheme } from '../editor/schemes.ts';
import { saveOriginal } from '../editor/unsavedChanges.ts';
import { Session } from '../server/session.ts';
import type { commandIds } from './commandIds.ts';
import { HunkCommands } from './hunkCommands.ts';
import { rejectWithReason, type Place, type TerminalsOfSessions } from './rejectWithReason.ts';

export type CommandHandler = (...args: unknown[]) => unknown;

/**
 * Arguments come from where the command was called: a URI from the title bar of a diff or from a lens, a proposal
 * or a session from the tree, nothing from the palette or a key (then it is about the diff in front).
 */
export function proposalCommands(
  proposals: Proposals,
  hunks: Hunks,
  terminals: TerminalsOfSessions,
  userPlace: Place,
) {
  const about = (act: (proposal: Proposal) => unknown) => (argument: unknown) => {
    const proposal = find(proposals, argument);
    return proposal ? act(proposal) : sayThatThereIsNone();
  };
  const aboutEach = (act: (proposal: Proposal) => Promise<void>) => async (argument: unknown) => {
    const chosen = proposals.all.filter(
      ({ session }) => !(argument instanceof Session) || session === argument,
    );
    if (chosen.length === 0) {
      sayThatThereIsNone();
    }
    await Promise.all(chosen.map(act)); // one over unsaved changes may wait for an answer
  };
  const hunkCommands = new HunkCommands(proposals, hunks);
  return {
    acceptProposal: about(({ uri }) => proposals.accept(uri)),
    rejectProposal: about(({ uri }) => proposals.reject(uri)),
    rejectProposalWithReason: about((proposal) =>
      rejectWithReason(proposals, proposal, terminals, userPlace),
    ),
    acceptAllProposals: aboutEach(({ uri }) => proposals.accept(uri)),
    rejectAllProposals: aboutEach(({ uri }) => proposals.reject(uri)),
    saveProposal: () => save(proposals),
    openProposal: (argument: unknown) => open(proposals, argument),
    reviewAllProposals: () => reviewAll(proposals),
    saveBeforeReview: about(saveOriginal),
    nextHunk: () => hunkCommands.go(1),
    previousHunk: () => hunkCommands.go(-1),
    keepHunk: (uri: unknown, line: unknown) => hunkCommands.keep(uri, line),
    dropHunk: (uri: unknown, line: unknown) => hunkCommands.drop(uri, line),
  } satisfies Partial<Record<keyof typeof commandIds, CommandHandler>>;
}

function find(proposals: Proposals, argument: unknown): Proposal | undefined {
  const uri = argument instanceof Proposal ? argument.uri : argument;
  // One that has been decided meanwhile does not stand for another.
  return uri instanceof vscode.Uri && uri.scheme === proposalScheme ? proposals.find(uri) : proposals.active;
}

/** Without an argument the next one after the one in front, oldest first. */
async function open(proposals: Proposals, argument: unknown): Promise<void> {
  const { all, active } = proposals;
  const next = all[(active ? all.indexOf(active) + 1 : 0) % all.length];
  const proposal = argument === undefined ? next : find(proposals, argument);
  await (proposal ? proposals.show(proposal) : sayThatThereIsNone());
}

async function save(proposals: Proposals): Promise<void> {
  if (!(await proposals.saveFocused()) && proposals.active) {
    vscode.window.setStatusBarMessage(
      'Not accepted: the proposal came to the front only just now. Save again to accept it.',
      5_000,
    );
  }
}

/** All in one editor, which can be decided in it one by one. */
async function reviewAll(proposals: Proposals): Promise<void> {
  if (proposals.all.length === 0) {
    sayThatThereIsNone();
    return;
  }
  const changes = proposals.all.map(({ filePath, original, uri }) => [
    vscode.Uri.file(filePath),
    original,
    uri,
  ]);
  await vscode.commands.executeCommand('vscode.changes', 'Proposed Changes', changes);
}

function sayThatThereIsNone(): void {
  void vscode.window.showInformationMessage('No proposed change is open.');
}
