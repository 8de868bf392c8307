import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { cut } from '../base/text.ts';
import { realPath } from '../server/realPath.ts';
import { fileOfImage, isOfUser } from './attachedImages.ts';

/** UTF-16 units of what is attached as text. */
const maxAttached = 50_000;

/** What the user has written; and what else is attached, which is not the user's word. */
interface PromptTexts {
  readonly text: string;
  readonly context: string;
}

/**
 * What the user has written, and what is attached to it: files by their paths, which Claude reads itself. Of what is not
 * saved it would read something else than the user sees: that is told as text.
 * @param mayTell whether a file that the editor has attached by itself may be named, and the text of one told
 */
export function promptText(
  { prompt, references }: Pick<vscode.ChatRequest, 'prompt' | 'references'>,
  mayTell: (uri: vscode.Uri) => boolean,
): PromptTexts {
  const isCommand = /^\/[\w:-]+(\s|$)/.test(prompt); // of the CLI: what the user has not attached is none of its arguments
  const contexts: string[] = [];
  const attached = references.flatMap((reference) => {
    const { value } = reference;
    const isUsers = isOfUser(reference);
    if (isCommand && !isUsers) {
      return [];
    }
    if (typeof value === 'string') {
      contexts.push(fenced('What the user has attached in the editor;', 'attached', value));
      return [];
    }
    const line = lineOf(fileOfImage(value) ?? value, (uri) => isUsers || mayTell(uri));
    if (line === undefined) {
      return [];
    }
    const found = unsavedOf(value, isUsers, mayTell);
    if (found?.text !== undefined) {
      contexts.push(fenced(`${line}, not saved; in the editor`, 'unsaved', found.text));
    }
    const words =
      found === undefined
        ? ''
        : found.text === undefined
          ? ' (has unsaved changes, which only the editor knows)'
          : ' (not saved; its text is above)';
    if (mayBeWord.test(line)) {
      contexts.push(`Attached by the user in the editor: ${JSON.stringify(line)}${words}`);
      return [];
    }
    return [`- ${line}${words}`];
  });
  return {
    text:
      attached.length === 0
        ? prompt
        : `${prompt}\n\nAttached by the user in the editor:\n${attached.join('\n')}`,
    context: contexts.join('\n\n'),
  };
}

/** What a name must not have to stand in the user's own words: the CLI opens what it finds behind such an `@`, and asks nobody. */
const mayBeWord = /\s@|\p{Cc}/u;

/** The text of a file may have been written by anybody: it cannot end its fence, which nobody can foresee. */
function fenced(what: string, kind: string, text: string): string {
  const tag = `${kind}-${randomBytes(4).toString('hex')}`;
  const shown = cut(text, maxAttached);
  const words =
    shown.length < text.length ? `the first ${shown.length} of ${text.length} characters` : 'it reads';
  return `${what} ${words}:\n<${tag}>\n${shown.replace(/\n?$/, '\n')}</${tag}>`;
}

function lineOf(value: unknown, mayTell: (uri: vscode.Uri) => boolean): string | undefined {
  if (value instanceof vscode.Uri) {
    const path = value.scheme === 'file' ? value.fsPath : value.toString();
    return mayTell(value) ? path : undefined;
  }
  if (value instanceof vscode.Location) {
    const { start, end } = value.range;
    const place = lineOf(value.uri, mayTell);
    return place && `${place}, lines ${start.line + 1} to ${end.line + 1}`;
  }
  return undefined;
}

/**
 * What the editor has in place of what is on disk; of a file that nobody has pointed at, only that it has something.
 * @returns without a text where that is not told, undefined where it has nothing
 */
function unsavedOf(
  value: unknown,
  isUsers: boolean,
  mayTell: (uri: vscode.Uri) => boolean,
): { readonly text?: string } | undefined {
  const { uri, range } =
    value instanceof vscode.Location ? value : { uri: value instanceof vscode.Uri ? value : undefined };
  const isIt = (other: vscode.Uri) => other.scheme === uri?.scheme && other.path === uri.path;
  const { textDocuments, notebookDocuments } = vscode.workspace;
  if (notebookDocuments.some((notebook) => notebook.isDirty && isIt(notebook.uri))) {
    return {};
  }
  const document = textDocuments.find((each) => each.isDirty && isIt(each.uri) && each.uri.fragment === '');
  if (!document) {
    return undefined;
  }
  const { scheme, fsPath } = document.uri;
  const mayBeTold =
    mayTell(document.uri) && (scheme !== 'file' || mayTell(vscode.Uri.file(realPath(fsPath))));
  if (!mayBeTold || !(isUsers || range)) {
    return {};
  }
  return { text: document.getText(range && new vscode.Range(range.start.line, 0, range.end.line + 1, 0)) };
}
