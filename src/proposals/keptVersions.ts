import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { printable } from '../base/printable.ts';
import { Queue } from '../base/queue.ts';
import { withLf } from '../base/text.ts';
import { openDocument } from '../editor/documents.ts';
import { shownProposals } from './proposalTabs.ts';
import { allTabs } from '../editor/tabContent.ts';
import type { LeftText } from './leftTexts.ts';
import type { TypedText, TypedTexts } from './typedTexts.ts';

/** ms after which the editor has backed up a new unsaved document; it does so after 1 s. */
const backupTime = 5_000;
/** ms after which is looked again for extension hosts that have gone: that of a closed window may linger. */
const pause = 2_000;
/** ms after its start in which a window looks for what it had as one on another workspace, whose extension host may linger. */
const takingTime = 30_000;

type Version = Omit<TypedText, 'id'>;

/** Why nobody has the user's version of a proposal any more. */
export type WhyGiven = 'no session waits' | 'rejected' | 'not written';

/**
 * The user's versions of proposals. While one is under review its text is kept on disk: the editor keeps what is unsaved
 * only, and late, and auto-save saves it into our memory. When nobody waits for it any more it becomes an unsaved document.
 */
export class KeptVersions implements Disposable {
  private readonly queue = new Queue();
  private readonly told = new Set<string>();
  /** Of a document that was opened a moment ago no tab may be known yet. */
  private readonly given = new Set<string>();
  private readonly timers = new Set<ReturnType<typeof setTimeout>>();
  private readonly since = Date.now();
  private isDisposed = false;

  constructor(
    private readonly texts: TypedTexts,
    private readonly log: Logger,
  ) {}

  /** For the case that this extension host ends. @param uri the proposed side */
  keep(uri: vscode.Uri, text: string): void {
    this.write({ id: uri.toString(), uri: uri.toString(), text, language: languageOf(uri) });
  }

  /** One of an earlier extension host, before the editor saves it into our memory: with that it backs it up no more. */
  keepOrphan(uri: vscode.Uri, text: string): void {
    this.keepVersion({ uri: uri.toString(), text, language: languageOf(uri) });
  }

  /** It was decided, or is as it was proposed. */
  forget(uri: vscode.Uri): void {
    void this.quietly(() => this.texts.forget(uri.toString()));
  }

  /** Makes it a document of its own. What is kept of this one is not forgotten: it may be another text. */
  async give(
    uri: vscode.Uri,
    text: string,
    { language = languageOf(uri), why }: { language?: string; why?: WhyGiven } = {},
  ): Promise<void> {
    await this.queue.run(() => this.giveOnce({ uri: uri.toString(), language, text }, why));
  }

  /** The same for those of extension hosts that are gone, or whose proposals are in tabs of this window. */
  async giveLeftBehind(): Promise<void> {
    const shown = new Set(shownProposals().map(String));
    const isOurs = ({ uri, isLeft }: LeftText) => isLeft || shown.has(uri);
    const others =
      (await this.quietly(() => this.texts.ofOthers((left) => this.mayTake(left), isOurs))) ?? [];
    for (const typed of others.filter(isOurs)) {
      await this.queue.run(() => this.giveOnce(typed));
      this.forgetLater(typed.id);
    }
    if (!others.every(isOurs)) {
      this.later(pause, () => void this.giveLeftBehind());
    }
  }

  /** What is on disk stays there. */
  dispose(): void {
    this.isDisposed = true;
    this.timers.forEach(clearTimeout);
  }

  /** Whether its file is in a folder of this window. Later another window's that is loaded anew would be taken from it. */
  private mayTake({ uri }: LeftText): boolean {
    const file = vscode.Uri.file(vscode.Uri.parse(uri).path);
    return Date.now() - this.since < takingTime && vscode.workspace.getWorkspaceFolder(file) !== undefined;
  }

  private async giveOnce(version: Version, why: WhyGiven = 'no session waits'): Promise<void> {
    const id = idOf(version);
    if (!this.given.has(id) && !(await isInUnsavedDocument(version.text))) {
      this.given.add(id);
      this.keepVersion(version);
      // In a tab behind the others, as all that is unsaved.
      const { text: content, language } = version;
      this.tell(version.uri, why, await vscode.workspace.openTextDocument({ content, language }));
    }
  }

  /** Beside other texts of its proposal, until the editor has backed up the document that it becomes. */
  private keepVersion(version: Version): void {
    const id = idOf(version);
    this.write({ ...version, id });
    this.forgetLater(id);
  }

  private forgetLater(id: string): void {
    this.later(backupTime, () => void this.quietly(() => this.texts.forget(id)));
  }

  /** Once, though the editor may have had one text of it and the disk another. */
  private tell(uri: string, why: WhyGiven, document: vscode.TextDocument): void {
    if (!this.told.has(uri)) {
      this.told.add(uri);
      const name = printable(basename(vscode.Uri.parse(uri).path));
      const open = 'Open';
      const told =
        why === 'rejected'
          ? vscode.window.showInformationMessage(
              `Rejected. Your version of ${name} is now in an unsaved document.`,
              open,
            )
          : vscode.window.showWarningMessage(
              `${why === 'not written' ? `Your version of ${name} was not written` : `No session waits for your version of ${name} any more`}: it is now in an unsaved document.`,
              open,
            );
      void told.then((choice) =>
        choice === open ? vscode.window.showTextDocument(document, { preview: false }) : undefined,
      );
    }
  }

  private write(typed: TypedText): void {
    void this.quietly(() => this.texts.keep(typed));
  }

  private async quietly<T>(act: () => T): Promise<Awaited<T> | undefined> {
    try {
      return await act(); // at once, where it is not async
    } catch (error) {
      this.log.warn(`What was typed into proposals cannot be kept on disk: ${errorMessage(error)}`);
      return undefined;
    }
  }

  private later(ms: number, act: () => void): void {
    if (!this.isDisposed) {
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        act();
      }, ms);
      this.timers.add(timer);
    }
  }
}

function idOf({ uri, text }: Version): string {
  return `${uri}\n${withLf(text)}`;
}

/** Of an open document. */
export function languageOf(uri: vscode.Uri): string {
  return openDocument(uri)?.languageId ?? 'plaintext';
}

/** The editor brings back unsaved documents by itself. */
async function isInUnsavedDocument(text: string): Promise<boolean> {
  for (const { input } of allTabs()) {
    if (input instanceof vscode.TabInputText && input.uri.scheme === 'untitled') {
      const document = await vscode.workspace.openTextDocument(input.uri);
      if (withLf(document.getText()) === withLf(text)) {
        return true;
      }
    }
  }
  return false;
}
