import type { ChangeReview } from './changeReview.ts';
import type { Proposer } from '../server/proposer.ts';
import type { EditListener } from '../tools/getDiagnostics.ts';
import { fileUris } from '../editor/paths.ts';
import type { NewProblems } from './newProblems.ts';

/** Keeps each file, and what was wrong with it, as it is before the CLI writes it. */
export class AnnouncedEdits implements EditListener {
  private readonly heard = new WeakSet<object>();

  constructor(
    private readonly review: ChangeReview,
    private readonly problems: NewProblems,
  ) {}

  willEdit(session: Proposer, uri: string): void {
    this.heard.add(session);
    const [file] = fileUris(uri);
    if (file) {
      const snapshot = this.review.willEdit(session, file.fsPath);
      this.problems.willEdit(file, snapshot !== undefined && snapshot.hash === undefined);
    }
  }

  /** Whether this connection announces its edits: CLI 2.1.330 does so in its first one only, and not after it has come back. */
  announces(session: object): boolean {
    return this.heard.has(session);
  }
}
