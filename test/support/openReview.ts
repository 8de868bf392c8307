import { join } from 'node:path';
import { ChangeReview } from '../../src/changes/changeReview.ts';
import { Changes } from '../../src/changes/changes.ts';
import { ChangeSets, type SnapshotLimits } from '../../src/changes/changeSets.ts';
import type { FakeEditor } from './fakeEditor.ts';
import { MemoryLog } from './memoryLog.ts';

export const smallLimits: SnapshotLimits = { files: 100, totalBytes: 1_000_000, fileBytes: 100_000 };

/** Agent Changes over the snapshots in `folder`, in which all sessions live. */
export function openReview(folder: string, editor: FakeEditor, limits = () => smallLimits) {
  const log = new MemoryLog();
  const sets = new ChangeSets({ dir: join(folder, 'snapshots'), limits, isAlive: () => true, log });
  const changes = new Changes(sets, log);
  const review = new ChangeReview(sets, changes, editor);
  Object.assign(editor, { review, sets });
  return { sets, changes, review };
}
