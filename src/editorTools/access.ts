import { realpath, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import { onOneLine } from './onOneLine.ts';
import { fileUriOf } from '../editor/cells.ts';
import { openDocument } from '../editor/documents.ts';
import { isReloaded } from '../editor/onDisk.ts';
import { candidates } from '../editor/paths.ts';
import { tabsWith } from '../editor/tabContent.ts';
import { isInWorkspace } from '../editor/workspaceFolders.ts';
import type { Sharing } from '../sharing/sharing.ts';
import { Refusal } from './refusal.ts';

/** ms in which the editor may not have read yet what was written to a file. */
const recent = 3_000;

/** Of a file that is opened for a tool, in bytes. */
const maxFile = 10 * 1024 * 1024;

/** The one place that decides which files a client may name, and of which it may hear. */
export class Access {
  constructor(private readonly sharing: Sharing) {}

  get isOn(): boolean {
    return this.sharing.state === 'on';
  }

  /** @throws Refusal while nothing is shared */
  check(): void {
    const { refusal } = this.sharing;
    if (refusal !== undefined) {
      throw new Refusal(refusal);
    }
  }

  /**
   * Once more after a wait, during which the user may have paused sharing or excluded the file.
   * @param input as the client named it, if it named one
   * @param mayBeGone where the answer is of a file that need not be there any more
   * @throws Refusal when it may not be told of any more
   */
  async checkAgain(input: string | undefined, mayBeGone = false): Promise<void> {
    this.check();
    if (input === undefined || this.untitled(input)) {
      return;
    }
    if (!mayBeGone) {
      await this.existing(input);
    } else if (!(await this.find(input))) {
      await this.mustBeShared(named(input), input);
    }
  }

  /**
   * Of files that are not there any more, which have but these names.
   * @param input as the client named them
   * @throws Refusal unless all of them may be told of
   */
  async mustBeShared(uris: readonly vscode.Uri[], input: string): Promise<void> {
    this.check();
    await this.learn(uris);
    if (!uris.every((uri) => this.sharing.allows(uri))) {
      throw notShared(input);
    }
  }

  /**
   * The document of a file in the workspace, or of one that the user has open; by its name an untitled one. A model asks
   * at once about what it has just written.
   * @throws Refusal for everything else
   */
  async document(input: string): Promise<vscode.TextDocument> {
    const untitled = this.untitled(input);
    if (untitled) {
      return untitled;
    }
    const { uri, mtimeMs } = await this.file(input);
    const known = openDocument(uri);
    if (known) {
      if (Date.now() - mtimeMs < recent) {
        await isReloaded(known, recent);
      }
      return known;
    }
    try {
      return await vscode.workspace.openTextDocument(uri);
    } catch (error) {
      throw new Refusal(`The editor cannot open ${quoted(input)} as text: ${onOneLine(errorMessage(error))}`);
    }
  }

  /** A folder of the workspace. @throws Refusal for everything else */
  async folder(input: string): Promise<vscode.Uri> {
    const uri = await this.existing(input);
    if (!(await stat(uri.fsPath)).isDirectory()) {
      throw new Refusal(`${quoted(input)} is no folder.`);
    }
    return uri;
  }

  /**
   * Which of these a client may hear of: those in files, which the settings do not keep back under any of their names.
   * @param uriOf the file of an item
   */
  async shared<T>(
    items: readonly T[],
    uriOf: (item: T) => vscode.Uri,
  ): Promise<{ items: T[]; withheld: number }> {
    const files = new Map<string, vscode.Uri>();
    for (const item of items) {
      const uri = uriOf(item);
      files.set(uri.toString(), uri);
    }
    const verdicts = new Map<string, boolean>();
    await this.learn([...files.values()].map(fileUriOf));
    await Promise.all(
      [...files].map(async ([key, uri]) => {
        const file = fileUriOf(uri);
        verdicts.set(key, ['file', 'untitled'].includes(file.scheme) && (await this.isShared(file)));
      }),
    );
    const shared = items.filter((item) => verdicts.get(uriOf(item).toString()));
    return { items: shared, withheld: items.length - shared.length };
  }

  /**
   * What is refused may name these files, which the user may have excluded since they were last asked about here.
   * @throws what `act` does, but a Refusal that names none where one of them is not shared any more
   */
  async hiding<T>(uris: readonly vscode.Uri[], act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Refusal && (await this.shared(uris, (uri) => uri)).withheld > 0) {
        throw new Refusal(
          'This was refused, and a file of it is not shared by the settings of this editor any more: why is not told. Read the others to see whether they were written.',
        );
      }
      throw error;
    }
  }

  /** Whether it lies in the workspace, and no link leads out of it. False for what is not there. */
  async isInside(uri: vscode.Uri): Promise<boolean> {
    const real = uri.scheme === 'file' ? await realPath(uri.fsPath) : undefined;
    return real !== undefined && isInWorkspace(real);
  }

  private untitled(input: string): vscode.TextDocument | undefined {
    return vscode.workspace.textDocuments.find(
      ({ isUntitled, uri }) => isUntitled && uri.path === input && this.sharing.allows(uri),
    );
  }

  private async file(input: string): Promise<{ uri: vscode.Uri; mtimeMs: number }> {
    const uri = await this.existing(input);
    const found = await stat(uri.fsPath);
    if (!found.isFile()) {
      throw new Refusal(`${quoted(input)} is no file.`); // to read a pipe would never end
    }
    if (found.size > maxFile) {
      throw new Refusal(`${quoted(input)} is too large for the tools of the editor.`);
    }
    return { uri, mtimeMs: found.mtimeMs };
  }

  /** Says the same of what is outside whether it is there or not. */
  private async existing(input: string): Promise<vscode.Uri> {
    const found = await this.find(input);
    if (!found) {
      throw new Refusal(
        `There is no ${quoted(input)} in the workspace folders, nor is it open in the editor.`,
      );
    }
    return found;
  }

  /** Undefined where none is there. @throws Refusal for one that is not shared, and where several folders have one of that path */
  private async find(input: string): Promise<vscode.Uri | undefined> {
    this.check();
    if (/^[a-z][\w+.-]+:/i.test(input) && !input.toLowerCase().startsWith('file:')) {
      throw new Refusal(`Only files can be named, by a path or a file: URI, not ${quoted(input)}.`);
    }
    const uris = named(input);
    await this.learn(uris);
    const shared = new Map<string, vscode.Uri>();
    let isThere = false;
    for (const uri of uris) {
      if ((await this.isInside(uri)) || tabsWith(uri).length > 0) {
        isThere = true;
        const real = (await realPath(uri.fsPath)) ?? uri.fsPath;
        if (!shared.has(real) && (await this.isShared(uri))) {
          shared.set(real, uri);
        }
      }
    }
    const [first, second] = shared.values();
    if (second && !input.startsWith('file:')) {
      const places = [...shared.values()].map(({ fsPath }) => onOneLine(fsPath, 1_000));
      throw new Refusal(
        [`${quoted(input)} is in several workspace folders. Say which, by its whole path:`, ...places].join(
          '\n',
        ),
      );
    }
    if (isThere && !first) {
      throw notShared(input);
    }
    return first;
  }

  private async learn(uris: readonly vscode.Uri[]): Promise<void> {
    await this.sharing.learn(uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath));
  }

  /** By its own name, and by that of the file to which it leads if it is a link. */
  private async isShared(uri: vscode.Uri): Promise<boolean> {
    if (!this.sharing.allows(uri)) {
      return false;
    }
    const real = uri.scheme === 'file' ? await realPath(uri.fsPath) : undefined;
    if (real === undefined || real === uri.fsPath) {
      return true;
    }
    if (isInWorkspace(uri.fsPath) && !isInWorkspace(real) && tabsWith(uri).length === 0) {
      return false; // a link out of it, which a language server follows
    }
    const target = vscode.Uri.file(real);
    await this.learn([target]);
    return this.sharing.allows(target);
  }
}

function named(input: string): vscode.Uri[] {
  try {
    return candidates(input).map((path) => vscode.Uri.file(path));
  } catch (error) {
    throw new Refusal(errorMessage(error));
  }
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined; // it is not there
  }
}

function notShared(input: string): Refusal {
  return new Refusal(`${quoted(input)} is not shared by the settings of this editor.`);
}

function quoted(input: string): string {
  return `"${onOneLine(input)}"`;
}
