import * as vscode from 'vscode';
import { cut } from '../base/text.ts';
import { fileOfImage, isOfUser } from './attachedImages.ts';

/** UTF-16 units of what is attached as text. */
const maxAttached = 50_000;

/**
 * What the user has written, and what is attached to it: files by their paths, which Claude reads itself.
 * @param mayTell whether a file that the editor has attached by itself may be named
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
    return line === undefined || (isCommand && !isUsers) ? [] : [line];
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
