/** A place in a file, as a CLI prints it. */
export interface FileLink {
  /** UTF-16 columns in the printed line. */
  startIndex: number;
  length: number;
  path: string;
  /** 1-based. */
  line: number | undefined;
  endLine: number | undefined;
  column: number | undefined;
}

const path = String.raw`(?<path>(?:[A-Za-z]:[\\/])?[^\s"'\`()[\]<>:,;|│#]+)`;
const lines = String.raw`#L(?<line>\d+)(?:-L?(?<endLine>\d+))?`;

/** Earlier forms win where two match at one place. */
const forms = [
  `@"(?<path>[^"#]+)(?:${lines})?"`,
  `@?${path}${lines}`,
  `${path}:(?<line>\\d+)(?::(?<column>\\d+))?`,
  `@${path}`,
].map((form) => new RegExp(form, 'g'));

/** Finds `path:5`, `path:5:3`, `path#L5-10`, `@path#L5-10` and `@"a path#L5-10"`. Whether the file exists is not known. */
export function findFileLinks(text: string): FileLink[] {
  const found: FileLink[] = [];
  for (const { index, 0: whole, groups = {} } of forms.flatMap((form) => [...text.matchAll(form)])) {
    const end = index + whole.length;
    const isFree = found.every(({ startIndex, length }) => end <= startIndex || index >= startIndex + length);
    if (isFree && groups.path !== undefined) {
      found.push({
        startIndex: index,
        length: whole.length,
        path: groups.path,
        line: toNumber(groups.line),
        endLine: toNumber(groups.endLine),
        column: toNumber(groups.column),
      });
    }
  }
  return found.sort((a, b) => a.startIndex - b.startIndex);
}

function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}
