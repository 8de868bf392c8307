import type { ChangeReview } from './changeReview.ts';
import type { Proposer } from '../server/proposer.ts';
import type { EditListener } from '../tools/getDiagnostics.ts';
import { fileUris } from '../editor/paths.ts';
import type { NewProblems } from './newProblems.ts';

/** Keeps each file, and what was wrong with it, as it is before the CLI writes it. */
export class AnnouncedEdits implements EditListener {
  constructor(
    private readonly review: ChangeReview,
    private readonly problems: NewProblems,
  ) {}

  willEdit(session: Proposer, uri: string): void {
    const [file] = fileUris(uri);
    if (file) {
      const snapshot = this.review.willEdit(session, file.fsPath);
      this.problems.willEdit(file, snapshot !== undefined && snapshot.hash === undefined);
    }
  }
}
