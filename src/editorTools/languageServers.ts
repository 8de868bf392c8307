import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import type { Access } from './access.ts';
import { onOneLine } from './onOneLine.ts';
import { Refusal } from './refusal.ts';
import { pathOf } from './sourceLines.ts';
import { type Lines, rangeOf, type Spot } from './spots.ts';
import { TypeScriptProject } from './typescriptProject.ts';

/** ms after which a language server that does not answer is no longer waited for. */
const patience = 30_000;
/** The same for one that starts, or is not there at all. */
const startTime = 8_000;
/** ms during which one that has said nothing is not waited for again. */
const silence = 60_000;
const pollInterval = 200;

export type SymbolFound = vscode.DocumentSymbol | vscode.SymbolInformation;

/** Asks the language servers of the editor, by the commands that it has for that. */
export class LanguageServers {
  /** Ids of languages of which a server has told symbols. */
  private readonly awake = new Set<string>();
  /** Ids of languages of which none did, and when that was, on the clock that nobody sets. */
  private readonly silent = new Map<string, number>();
  private readonly typescript = new TypeScriptProject();

  constructor(private readonly access: Access) {}

  /**
   * What the servers for that document say to one of the `vscode.execute…Provider` commands.
   * @param document a server that has not said anything yet is given time to start with it
   * @throws Refusal when the server does, or does not answer, and when the document is not shared any more
   */
  async ask<T>(
    document: vscode.TextDocument | undefined,
    signal: AbortSignal,
    command: string,
    ...args: unknown[]
  ): Promise<T | undefined> {
    if (document) {
      await this.typescript.isRead(document, signal);
      await this.wake(document, signal);
    }
    signal.throwIfAborted();
    try {
      const answer = await within(
        vscode.commands.executeCommand<T | null | undefined>(command, ...args),
        signal,
      );
      if (document) {
        await this.access.checkAgain(pathOf(document.uri));
      }
      return answer ?? undefined;
    } catch (error) {
      throw error instanceof Refusal
        ? error
        : new Refusal(`The language server refused: ${onOneLine(errorMessage(error), 400)}`);
    }
  }

  /** The same for what comes as a list. @throws Refusal also where it is empty because nobody looked */
  async find<T>(
    document: vscode.TextDocument,
    signal: AbortSignal,
    command: string,
    ...args: unknown[]
  ): Promise<readonly T[]> {
    const found = (await this.ask<readonly T[]>(document, signal, command, ...args)) ?? [];
    if (found.length === 0) {
      await this.mustCover(document, signal);
    }
    return found;
  }

  rename(
    { document, position }: Spot,
    newName: string,
    signal: AbortSignal,
  ): Promise<vscode.WorkspaceEdit | undefined> {
    const command = 'vscode.executeDocumentRenameProvider';
    return this.ask(document, signal, command, document.uri, position, newName);
  }

  /** @param lines from 1, inclusive @param limit how many of their edits are worked out, which some servers do only then */
  codeActions(
    document: vscode.TextDocument,
    lines: Lines,
    kind: string | undefined,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly (vscode.CodeAction | vscode.Command)[]> {
    const command = 'vscode.executeCodeActionProvider';
    return this.find(document, signal, command, document.uri, rangeOf(document, lines), kind, limit);
  }

  async symbols(document: vscode.TextDocument, signal: AbortSignal): Promise<readonly SymbolFound[]> {
    const command = 'vscode.executeDocumentSymbolProvider';
    return (await this.ask<SymbolFound[]>(document, signal, command, document.uri)) ?? [];
  }

  /** To be called where nothing was found. @throws Refusal if that is because nobody looked */
  async mustCover(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    if (!isBlank(document) && (await this.symbols(document, signal)).length === 0) {
      throw new Refusal(
        `No language server in this editor seems to cover the language of that file (${document.languageId}). Search its text instead.`,
      );
    }
  }

  /** One that starts answers to nothing, as does one that is not there. */
  private async wake(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    const { languageId, uri } = document;
    const sinceSilent = performance.now() - (this.silent.get(languageId) ?? -Infinity);
    const extensions = vscode.extensions.all.filter((each) => startsWith(each, languageId));
    if (this.awake.has(languageId) || sinceSilent < silence || extensions.length === 0 || isBlank(document)) {
      return;
    }
    const deadline = performance.now() + startTime;
    const started = Promise.allSettled(
      extensions.map(async (each) => {
        await each.activate();
      }),
    );
    await Promise.race([started, sleep(startTime, undefined, { signal, ref: false })]);
    while (performance.now() < deadline) {
      signal.throwIfAborted();
      const symbols = await vscode.commands.executeCommand<SymbolFound[] | undefined>(
        'vscode.executeDocumentSymbolProvider',
        uri,
      );
      if (symbols && symbols.length > 0) {
        this.awake.add(languageId);
        return;
      }
      await sleep(pollInterval, undefined, { signal, ref: false });
    }
    this.silent.set(languageId, performance.now());
  }
}

/** @throws Refusal after `patience` ms, and when the call was cancelled */
async function within<T>(answer: Thenable<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const late = sleep(patience, undefined, { signal: AbortSignal.any([signal, over.signal]), ref: false });
  const refusal = late.then(() => {
    throw new Refusal(`The language server did not answer within ${patience / 1_000} seconds.`);
  });
  refusal.catch(() => {}); // the answer may be there first
  try {
    return await Promise.race([answer, refusal]);
  } finally {
    over.abort();
  }
}

function isBlank(document: vscode.TextDocument): boolean {
  return document.getText().trim() === '';
}

function startsWith({ packageJSON }: vscode.Extension<unknown>, languageId: string): boolean {
  const { activationEvents } = packageJSON as { activationEvents?: unknown };
  return Array.isArray(activationEvents) && activationEvents.includes(`onLanguage:${languageId}`);
}
