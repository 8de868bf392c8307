import type * as vscode from 'vscode';

/**
 * `file://` and the raw path: the form in which the CLI sends URIs, and the only one that it finds again in an
 * answer. A `#`, a `%` and, but on Windows, a `\` in it is a part of the path.
 */
export function rawFileUri(path: string, platform: NodeJS.Platform = process.platform): string {
  const slashed = platform === 'win32' ? path.replaceAll('\\', '/') : path;
  return `file://${slashed.startsWith('/') ? '' : '/'}${slashed}`;
}

/** The raw form for files, the editor's own for everything else. */
export function rawUri(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? rawFileUri(uri.fsPath) : uri.toString();
}
