import type { FileDiagnostics } from './getDiagnostics.ts';

/** Characters of JSON; the CLI replaces an answer of more than about 25,000 tokens by a pointer to a file. */
const maxLength = 40_000;

const severityOrder = ['Error', 'Warning', 'Information', 'Hint'];

/**
 * The most important problems that fit into an answer for the model: errors before the rest, and among equals
 * those nearest to the active file first. The files and their problems keep that order.
 * @param activeUri the file in front, in the form of `FileDiagnostics.uri`
 */
export function boundDiagnostics(
  all: FileDiagnostics[],
  activeUri: string | undefined,
  limit = maxLength,
): { files: FileDiagnostics[]; leftOut: string | undefined } {
  const ranked = all
    .flatMap(({ uri, diagnostics }) => diagnostics.map((diagnostic) => ({ uri, diagnostic })))
    .map((entry) => ({
      ...entry,
      severity: severityOrder.indexOf(entry.diagnostic.severity),
      distance: distance(entry.uri, activeUri),
    }))
    .sort((a, b) => a.severity - b.severity || a.distance - b.distance);

  const files = new Map<string, FileDiagnostics>();
  let length = 0;
  let taken = 0;
  for (const { uri, diagnostic } of ranked) {
    length += JSON.stringify(diagnostic, undefined, 2).length + (files.has(uri) ? 0 : uri.length);
    if (length > limit) {
      break;
    }
    const file = files.get(uri) ?? { uri, diagnostics: [] };
    file.diagnostics.push(diagnostic);
    files.set(uri, file);
    taken += 1;
  }
  const bounded = ranked.length === 0 ? all : [...files.values()];
  const left = ranked.slice(taken);
  if (left.length === 0) {
    return { files: bounded, leftOut: undefined };
  }
  const leftFiles = new Set(left.map(({ uri }) => uri)).size;
  const counts = severityOrder
    .map((name, severity) => ({ name, count: left.filter((entry) => entry.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${name}: ${count}`);
  return {
    files: bounded,
    leftOut: `${left.length} more problems in ${leftFiles} files are left out (${counts.join(', ')}). Ask for one file by its uri to see its own.`,
  };
}

/** How many folders apart two files are; 0 for the same file. */
function distance(uri: string, activeUri: string | undefined): number {
  if (activeUri === undefined || uri === activeUri) {
    return 0;
  }
  const [a, b] = [uri.split('/'), activeUri.split('/')];
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) {
    shared += 1;
  }
  return a.length + b.length - 2 * shared;
}
