import * as vscode from 'vscode';
import type { Proposal } from './proposal.ts';
import type { ReviewAll } from './reviewAll.ts';

const words = {
  accept: {
    verb: 'Accept',
    effect: 'Their sessions write the files at once. They can be reverted in Review.',
  },
  reject: {
    verb: 'Reject',
    effect:
      'Their sessions are told at once: this cannot be undone. Open Rejected Text shows what was proposed.',
  },
};

/** Asks about several: what a session is told cannot be taken back. The first answer harms nothing. */
export async function mayDecideAll(
  decision: keyof typeof words,
  reviewAll: ReviewAll,
  { length }: readonly Proposal[],
): Promise<boolean> {
  const { verb, effect } = words[decision];
  const [review, decide] = ['Review All', `${verb} ${length} Proposals`];
  const choice = await vscode.window.showWarningMessage(
    `${verb} ${length} proposals?`,
    { modal: true, detail: effect },
    review,
    decide,
  );
  if (choice === review) {
    await reviewAll.open();
  }
  return choice === decide;
}
