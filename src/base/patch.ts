import { formatPatch, structuredPatch } from 'diff/lib/patch/create.js';

/** A file as it was, and as it is; undefined where there is none. */
export interface PatchedFile {
  /** From the folder in which the patch is to be applied, with `/`. */
  readonly path: string;
  readonly before: Buffer | undefined;
  readonly now: Buffer | undefined;
  readonly isExecutable?: boolean;
  /** Its path before, where that was another. */
  readonly renamedFrom?: string | undefined;
}

/** ms of comparing one file; a patch of one that takes longer would be of no use to a reader. */
const compareTime = 2_000;

/**
 * As Git writes it, so that `git apply` takes it. Undefined for what is no text in UTF-8, or too different.
 * @param time ms, if it is to have less than others
 */
export function patchOf(
  { path, before, now, isExecutable, renamedFrom }: PatchedFile,
  time = compareTime,
): string | undefined {
  const [old, current] = [textIn(before), textIn(now)];
  if (old === undefined || current === undefined) {
    return undefined;
  }
  const [isCreate, isDelete] = [before === undefined, now === undefined];
  const compared = structuredPatch(
    isCreate ? '/dev/null' : `a/${renamedFrom ?? path}`,
    isDelete ? '/dev/null' : `b/${path}`,
    old,
    current,
    undefined,
    undefined,
    { context: 3, timeout: Math.min(time, compareTime) },
  );
  const mode = isExecutable ? '100755' : '100644';
  return (
    compared &&
    formatPatch({
      ...compared,
      isGit: true,
      isCreate,
      isDelete,
      isRename: renamedFrom !== undefined && !isCreate && !isDelete,
      ...(isCreate && { newMode: mode }),
    })
  );
}

/** Undefined for what is no text in UTF-8. */
function textIn(bytes: Buffer = Buffer.of()): string | undefined {
  try {
    return bytes.includes(0)
      ? undefined
      : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
