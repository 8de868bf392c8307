import type { TrackedEdit } from '../agent/editTracker.ts';
import type { FileState } from '../agent/fileState.ts';
import { counted, linesText } from '../base/text.ts';
import { compare } from '../changes/comparison.ts';

/** What the edits of one turn have made of files, whoever reviews them later. */
export class TurnEdits {
  private readonly files = new Map<string, { readonly before: FileState; after: FileState }>();

  note({ filePath, before, after }: TrackedEdit): void {
    this.files.set(filePath, { before: this.files.get(filePath)?.before ?? before, after });
  }

  /** Those that are not as they were. */
  get paths(): string[] {
    return [...this.files].filter(([, file]) => comparison(file).kind !== 'same').map(([path]) => path);
  }

  /** `2 files changed (+3 −1)`; undefined where none is */
  get words(): string | undefined {
    const { paths } = this;
    const lines = paths.map((path) => {
      const found = comparison(this.files.get(path) ?? { before: null, after: null });
      return found.kind === 'same' ? undefined : found.lines;
    });
    const added = lines.reduce((sum, each) => sum + (each?.added ?? 0), 0);
    const removed = lines.reduce((sum, each) => sum + (each?.removed ?? 0), 0);
    const count = lines.includes(undefined) ? '' : linesText({ added, removed });
    return paths.length === 0
      ? undefined
      : `${counted(paths.length, 'file')} changed${count === '' ? '' : ` (${count})`}`;
  }
}

/** What could not be read is taken for changed. */
function comparison({ before, after }: { before: FileState; after: FileState }): ReturnType<typeof compare> {
  return before === undefined || after === undefined
    ? { kind: 'modified' }
    : compare(before ?? undefined, after ?? undefined);
}
