import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import type { Proposal } from './proposal.ts';
import type { ProposalFiles } from './proposalFiles.ts';

/** ms between two looks at a proposal in which the user types. */
const pause = 200;

/**
 * Tells of each proposal that has changed, while it is typed in and at once when it is saved: auto-save is often the
 * last that is heard of it.
 */
export function followTyping(
  files: ProposalFiles,
  find: (uri: vscode.Uri) => Proposal | undefined,
  follow: (proposal: Proposal) => void,
): Disposable & { flush(): void } {
  const touched = new Set<Proposal>();
  const throttle = new Throttle(pause, () => {
    touched.forEach((proposal) => find(proposal.uri) && follow(proposal));
    touched.clear();
  });
  const touch = (uri: vscode.Uri) => {
    const proposal = find(uri);
    if (proposal) {
      touched.add(proposal);
      throttle.schedule();
    }
  };
  const subscriptions = vscode.Disposable.from(
    throttle,
    vscode.workspace.onDidChangeTextDocument(({ document }) => touch(document.uri)),
    files.onDidChangeFile((changes) => {
      changes.forEach(({ uri }) => touch(uri));
      throttle.flush();
    }),
  );
  return { flush: () => throttle.flush(), dispose: () => void subscriptions.dispose() };
}
