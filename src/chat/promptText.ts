import * as vscode from 'vscode';
import { cut } from '../base/text.ts';
import { realPath } from '../server/realPath.ts';
import { fileOfImage, isOfUser } from './attachedImages.ts';

/** UTF-16 units of what is attached as text. */
const maxAttached = 50_000;

/**
 * What the user has written, and what is attached to it: files by their paths, which Claude reads itself. Of what is not
 * saved it would read something else than the user sees: that is told as text.
 * @param mayTell whether a file that the editor has attached by itself may be named, and the text of one told
 */
export function promptText(
  { prompt, references }: Pick<vscode.ChatRequest, 'prompt' | 'references'>,
  mayTell: (uri: vscode.Uri) => boolean,
): string {
  const isCommand = /^\/[\w:-]+(\s|$)/.test(prompt); // of the CLI: what the user has not attached is none of its arguments
  const attached = references.flatMap((reference) => {
    const { value } = reference;
    const isUsers = isOfUser(reference);
    const line = lineOf(fileOfImage(value) ?? value, (uri) => isUsers || mayTell(uri));
    return line === undefined || (isCommand && !isUsers) ? [] : [line + unsavedOf(value, isUsers, mayTell)];
  });
  return attached.length === 0
    ? prompt
    : `${prompt}\n\nAttached by the user in the editor:\n${attached.join('\n')}`;
}

function lineOf(value: unknown, mayTell: (uri: vscode.Uri) => boolean): string | undefined {
  if (value instanceof vscode.Uri) {
    return mayTell(value) ? `- ${value.scheme === 'file' ? value.fsPath : value.toString()}` : undefined;
  }
  if (value instanceof vscode.Location) {
    const { start, end } = value.range;
    const place = lineOf(value.uri, mayTell);
    return place && `${place}, lines ${start.line + 1} to ${end.line + 1}`;
  }
  return typeof value === 'string' ? `- ${cut(value, maxAttached)}` : undefined;
}

/** What the editor has in place of what is on disk; of a file that nobody has pointed at, only that it has something. */
function unsavedOf(value: unknown, isUsers: boolean, mayTell: (uri: vscode.Uri) => boolean): string {
  const { uri, range } =
    value instanceof vscode.Location ? value : { uri: value instanceof vscode.Uri ? value : undefined };
  const document = vscode.workspace.textDocuments.find(
    ({ uri: { scheme, path }, isDirty }) => isDirty && scheme === uri?.scheme && path === uri.path,
  );
  if (!document) {
    return '';
  }
  const { scheme, fsPath } = document.uri;
  const mayBeTold =
    mayTell(document.uri) && (scheme !== 'file' || mayTell(vscode.Uri.file(realPath(fsPath))));
  if (!mayBeTold || !(isUsers || range)) {
    return ' (has unsaved changes, which only the editor knows)';
  }
  const lines = range && new vscode.Range(range.start.line, 0, range.end.line + 1, 0);
  const text = cut(document.getText(lines), maxAttached);
  return ` (not saved; in the editor it reads:)\n<unsaved>\n${text.replace(/\n?$/, '\n')}</unsaved>`;
}
