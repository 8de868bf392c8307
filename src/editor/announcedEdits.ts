import type { Changes } from '../changes/changes.ts';
import type { ChangeSets } from '../changes/changeSets.ts';
import type { Session } from '../server/session.ts';
import type { EditListener } from '../tools/getDiagnostics.ts';
import { fileUris } from './paths.ts';
import type { NewProblems } from './newProblems.ts';

/** Keeps each file, and what was wrong with it, as it is before the CLI writes it. */
export class AnnouncedEdits implements EditListener {
  constructor(
    private readonly sets: ChangeSets,
    private readonly changes: Changes,
    private readonly problems: NewProblems,
  ) {}

  willEdit(session: Session, uri: string): void {
    const [file] = fileUris(uri);
    if (file) {
      this.sets.announce(session, file.fsPath);
      const snapshot = this.sets.find(session)?.snapshots.get(file.fsPath);
      if (snapshot) {
        this.changes.willEdit(snapshot);
      }
      this.problems.willEdit(file, snapshot !== undefined && snapshot.hash === undefined);
    }
  }
}
