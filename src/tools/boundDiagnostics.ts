import { cut } from '../base/text.ts';
import type { Diagnostic, FileDiagnostics } from '../protocol/ide.ts';

/** Characters of JSON; the CLI replaces an answer of more than about 25,000 tokens by a pointer to a file. */
const maxLength = 40_000;

/** Of one message, in UTF-16 units. */
const maxMessage = 2_000;
const maxRelated = 5;

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
    .flatMap(({ uri, diagnostics }) =>
      diagnostics.map((diagnostic) => ({ uri, diagnostic: shorten(diagnostic) })),
    )
    .map((entry) => ({
      ...entry,
      severity: severityOrder.indexOf(entry.diagnostic.severity),
      distance: distance(entry.uri, activeUri),
    }))
    .sort((a, b) => a.severity - b.severity || a.distance - b.distance);

  const files = new Map<string, FileDiagnostics>();
  let length = 0;
  const left: typeof ranked = [];
  for (const entry of ranked) {
    const { uri, diagnostic } = entry;
    const more = JSON.stringify(diagnostic, undefined, 2).length + (files.has(uri) ? 0 : uri.length);
    if (length + more > limit) {
      left.push(entry);
      continue;
    }
    length += more;
    const file = files.get(uri) ?? { uri, diagnostics: [] };
    file.diagnostics.push(diagnostic);
    files.set(uri, file);
  }
  const bounded = ranked.length === 0 ? all : [...files.values()];
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

function shorten(diagnostic: Diagnostic): Diagnostic {
  const { message, relatedInformation } = diagnostic;
  return {
    ...diagnostic,
    message: brief(message),
    ...(relatedInformation && {
      relatedInformation: relatedInformation
        .slice(0, maxRelated)
        .map((related) => ({ ...related, message: brief(related.message) })),
    }),
  };
}

function brief(text: string): string {
  return text.length > maxMessage ? `${cut(text, maxMessage)}…` : text;
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
