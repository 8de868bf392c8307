// What a language server would change, as the new text of each file: nothing is shown or written here.
import { readFile, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { counted, withLf } from '../base/text.ts';
import { openDocument } from '../editor/documents.ts';
import type { Access } from './access.ts';
import { textOf } from './fileBytes.ts';
import { onOneLine } from './onOneLine.ts';
import { Refusal } from './refusal.ts';
import { shownName } from './sourceLines.ts';

/** Each is a diff that the user has to look at. */
const maxFiles = 50;

/** What an edit would make of a file. */
export interface FileEdit {
  readonly uri: vscode.Uri;
  /** As it is on disk and in the editor; with LF line ends, as is `after`. */
  readonly before: string;
  readonly after: string;
}

/** ms by which the time of a file may be behind the clock: systems stamp files by their last tick. */
const tick = 20;

/** When a language server was asked, and what the editor held then: its answer is for these texts. */
export class AskedAbout {
  private readonly at = Date.now();
  private readonly versions = new Map(
    vscode.workspace.textDocuments.map((document) => [document, document.version]),
  );

  /** Whether it is certain that the answer is for another text. */
  async isOutdated(document: vscode.TextDocument): Promise<boolean> {
    const version = this.versions.get(document);
    return version === undefined
      ? (await stat(document.uri.fsPath)).mtimeMs > this.at - tick
      : version !== document.version;
  }
}

/** What the typed API does not tell of, and each editor has: edits of files as such, of cells, and snippets. */
interface AnyEdit {
  readonly _type: number;
  readonly from?: vscode.Uri;
  readonly to?: vscode.Uri;
}
type WholeEdit = vscode.WorkspaceEdit & { _allEntries?(): readonly AnyEdit[] };
const [fileEdit, textEdit] = [1, 2];

/**
 * The files that it would change, in its order.
 * @throws Refusal for the whole of it if there is but one among them that may not be changed so
 */
export async function fileEdits(
  edit: vscode.WorkspaceEdit,
  asked: AskedAbout,
  access: Access,
): Promise<FileEdit[]> {
  mustBeOfTextOnly(edit);
  const entries = edit.entries().filter(([, edits]) => edits.length > 0);
  const uris = entries.map(([uri]) => uri);
  if (uris.length > maxFiles) {
    throw new Refusal(
      `This would change ${uris.length} files, each of which the user has to review; at most ${maxFiles} are. Nothing was changed.`,
    );
  }
  if (uris.some(({ scheme }) => scheme !== 'file')) {
    throw new Refusal('This would change something else than files on disk. Nothing was changed.');
  }
  const { withheld } = await access.shared(uris, (uri) => uri);
  if (withheld > 0) {
    const words = counted(withheld, 'file that is', 'files that are');
    throw new Refusal(
      `This would also change ${words} not shared by the settings of this editor. Nothing was changed.`,
    );
  }
  const inside = await Promise.all(uris.map((uri) => access.isInside(uri)));
  const outside = inside.filter((is) => !is).length;
  if (outside > 0) {
    const words = counted(outside, 'file', 'files');
    throw new Refusal(
      `This would change ${words} outside of the workspace folders, or no longer there. Nothing was changed.`,
    );
  }
  const files: FileEdit[] = [];
  await access.hiding(uris, async () => {
    for (const [uri, edits] of entries) {
      files.push(await fileEdited(uri, edits, asked, access));
    }
  });
  return files.filter(({ before, after }) => before !== after);
}

function mustBeOfTextOnly(edit: WholeEdit): void {
  const all = edit._allEntries?.();
  if (!all) {
    throw new Refusal('This editor does not tell all that such an edit would do. Nothing was changed.');
  }
  const ofFiles = all.filter(({ _type }) => _type === fileEdit);
  const kinds: [string, number][] = [
    ['create', ofFiles.filter(({ from }) => !from).length],
    ['delete', ofFiles.filter(({ to }) => !to).length],
    ['rename', ofFiles.filter(({ from, to }) => from && to).length],
  ];
  const words = kinds
    .filter(([, count]) => count > 0)
    .map(([verb, count]) => `${verb} ${counted(count, 'file')}`);
  if (words.length > 0) {
    throw new Refusal(`This would ${words.join(' and ')}, which these tools do not do. Nothing was changed.`);
  }
  if (all.some(({ _type }) => _type !== textEdit)) {
    throw new Refusal(
      'This would insert a snippet for the user to fill in, or change cells of a notebook, which these tools do not do. Nothing was changed.',
    );
  }
}

async function fileEdited(
  uri: vscode.Uri,
  edits: readonly vscode.TextEdit[],
  asked: AskedAbout,
  access: Access,
): Promise<FileEdit> {
  const document = openDocument(uri) ?? (await access.document(uri.fsPath));
  const name = shownName(uri.fsPath);
  if (document.isDirty) {
    throw new Refusal(
      `${name} has unsaved changes, for which the language server has answered: they have to be saved first. Nothing was changed.`,
    );
  }
  const before = withLf(document.getText());
  const text = textOf(await readFile(uri.fsPath));
  if (text === undefined) {
    throw new Refusal(`${name} is not encoded in UTF-8, which is all that is written. Nothing was changed.`);
  }
  if (text !== before || (await asked.isOutdated(document))) {
    throw new Refusal(
      `${name} has changed while the language server answered. Nothing was changed: ask again.`,
    );
  }
  return { uri: document.uri, before, after: withLf(edited(document, edits, name)) };
}

/** @throws Refusal where two of them are about the same text */
function edited(document: vscode.TextDocument, edits: readonly vscode.TextEdit[], name: string): string {
  const text = document.getText();
  const inOrder = edits
    .map(({ range, newText }) => ({
      start: document.offsetAt(range.start),
      end: document.offsetAt(range.end),
      newText,
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end); // of those at one place, the order is theirs
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, newText } of inOrder) {
    if (start < done) {
      throw new Refusal(
        `The language server would change the same text of ${onOneLine(name)} twice. Nothing was changed.`,
      );
    }
    parts.push(text.slice(done, start), newText);
    done = end;
  }
  return [...parts, text.slice(done)].join('');
}
