import { diffLines } from '../base/lineDiff.ts';

/** How a file differs from what it was. */
export type Comparison =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'created' | 'modified' | 'deleted';
      /** Absent for files without lines: binary ones. */
      readonly lines?: { readonly added: number; readonly removed: number };
    };

/** @param before @param now undefined: there was, or is, no file */
export function compare(before: Buffer | undefined, now: Buffer | undefined): Comparison {
  if (before === now || (before && now?.equals(before))) {
    return { kind: 'same' };
  }
  const kind = !before ? 'created' : !now ? 'deleted' : 'modified';
  if (isBinary(before) || isBinary(now)) {
    return { kind };
  }
  let added = 0;
  let removed = 0;
  for (const hunk of diffLines(linesOf(before), linesOf(now))) {
    added += hunk.nowEnd - hunk.nowStart;
    removed += hunk.beforeEnd - hunk.beforeStart;
  }
  return { kind, lines: { added, removed } };
}

/** As git decides it: by a zero among the first bytes. */
function isBinary(bytes: Buffer | undefined): boolean {
  return bytes?.subarray(0, 8_000).includes(0) ?? false;
}

/** Each with its line end, so that a change of it counts. Latin-1 keeps every byte, whatever the encoding is. */
function linesOf(bytes: Buffer | undefined): string[] {
  return bytes?.toString('latin1').match(/[^\n]*\n|[^\n]+/g) ?? [];
}
