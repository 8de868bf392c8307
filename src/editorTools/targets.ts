import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { onOneLine } from './onOneLine.ts';
import { path } from '../tools/paths.ts';
import type { Access } from './access.ts';
import { indexOfWord, placeText } from './answers.ts';
import type { LanguageServers, SymbolFound } from './languageServers.ts';
import { distinct } from './places.ts';
import { Refusal } from './refusal.ts';
import { shownName, SourceLines } from './sourceLines.ts';
import { counting, type Spot } from './spots.ts';

/** How a client names what it asks about. */
export const target = {
  file: z.optional(
    path.check(
      z.describe(
        'Path, absolute or relative to the workspace folder. Optional where symbol is of the workspace',
      ),
    ),
  ),
  line: z.optional(counting.check(z.describe('From 1'))),
  column: z.optional(counting.check(z.describe('From 1, in UTF-16 units'))),
  symbol: z.optional(
    z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(200),
        z.describe('Name instead of a column (with line), or of a line and column; Class.member also'),
      ),
  ),
};

/** And what it shall be called. */
export const renaming = { ...target, newName: z.string().check(z.minLength(1), z.maxLength(200)) };

export interface Target {
  file?: string | undefined;
  line?: number | undefined;
  column?: number | undefined;
  symbol?: string | undefined;
}

/** How many places of the same name are told, of which one is to be chosen. */
const maxChoices = 10;

/** Finds what a client has named. */
export class Targets {
  constructor(
    private readonly access: Access,
    private readonly servers: LanguageServers,
  ) {}

  /** @throws Refusal that says what is missing, or that there is no such place */
  async find({ file, line, column, symbol }: Target, signal: AbortSignal): Promise<Spot> {
    this.access.check();
    if (file === undefined) {
      if (symbol === undefined) {
        throw new Refusal('Name a file with a line and a column, or a symbol.');
      }
      return this.ofWorkspace(symbol, signal);
    }
    const document = await this.access.document(file);
    if (line === undefined) {
      if (symbol === undefined) {
        throw new Refusal('Name a line and a column, or a symbol, of that file.');
      }
      return this.ofFile(document, symbol, signal);
    }
    if (line > document.lineCount) {
      throw new Refusal(`That file has ${document.lineCount} lines in the editor.`);
    }
    const { text } = document.lineAt(line - 1);
    if (column !== undefined) {
      return { document, position: new vscode.Position(line - 1, Math.min(column - 1, text.length)) };
    }
    if (symbol === undefined) {
      throw new Refusal('Name a column, or a symbol, of that line.');
    }
    const character = indexOfWord(text, lastName(symbol));
    if (character < 0) {
      throw new Refusal(
        `There is no "${onOneLine(symbol)}" in that line, which is: ${onOneLine(text.trim())}`,
      );
    }
    return { document, position: new vscode.Position(line - 1, character) };
  }

  /** What its server calls so, else the first place where the name stands: it may be local, or come from elsewhere. */
  private async ofFile(document: vscode.TextDocument, symbol: string, signal: AbortSignal): Promise<Spot> {
    const all = flatten(await this.servers.symbols(document, signal), document.uri);
    const named = all.filter(({ names }) => isNamed(names, symbol));
    const [found] = named;
    if (found) {
      await this.mustBeOne(symbol, distinct(named));
      return { document, position: nameIn(document, found.start, lastName(symbol)) };
    }
    const at = indexOfWord(document.getText(), lastName(symbol));
    if (at < 0 || symbol.includes('.')) {
      throw new Refusal(`There is no "${onOneLine(symbol)}" in that file.`);
    }
    return { document, position: document.positionAt(at) };
  }

  private async ofWorkspace(symbol: string, signal: AbortSignal): Promise<Spot> {
    const all = await this.servers.ask<vscode.SymbolInformation[]>(
      undefined,
      signal,
      'vscode.executeWorkspaceSymbolProvider',
      lastName(symbol),
    );
    const named = (all ?? []).filter(({ name, containerName }) =>
      isNamed([...(containerName ? containerName.split('.') : []), plainName(name)], symbol),
    );
    const { items } = await this.access.shared(named, ({ location }) => location.uri);
    const places = distinct(
      items.map(({ location }) => ({ uri: location.uri, start: location.range.start })),
    );
    await this.mustBeOne(symbol, places);
    const [found] = places;
    if (!found) {
      throw new Refusal(
        `No language server knows of "${onOneLine(symbol)}" in the workspace. One that has not started does when a file of its language is named: name the file too.`,
      );
    }
    const document = await this.access.document(found.uri.fsPath);
    return { document, position: nameIn(document, found.start, lastName(symbol)) };
  }

  private async mustBeOne(
    symbol: string,
    places: readonly { uri: vscode.Uri; start: vscode.Position }[],
  ): Promise<void> {
    if (places.length > 1) {
      const lines = new SourceLines(this.access);
      const choices = places.slice(0, maxChoices).map(({ uri, start }) => lines.place(uri, start));
      const told = (await Promise.all(choices)).map((place) => placeText(place, shownName));
      throw new Refusal(
        [
          `${places.length} places are called "${onOneLine(symbol)}". Name file and line of one:`,
          ...told,
        ].join('\n'),
      );
    }
  }
}

/** A symbol of a file, in the order of the file. */
export interface FlatSymbol {
  /** Its own and, before it, those of what it is in. */
  readonly names: readonly string[];
  readonly kind: vscode.SymbolKind;
  readonly detail: string;
  readonly depth: number;
  readonly uri: vscode.Uri;
  readonly start: vscode.Position;
  readonly range: vscode.Range;
}

/** Some servers tell of a tree, some of a list. */
export function flatten(
  symbols: readonly SymbolFound[],
  uri: vscode.Uri,
  outer: readonly string[] = [],
): FlatSymbol[] {
  return [...symbols].sort(byStart).flatMap((symbol) => {
    const names = [...outer, plainName(symbol.name)];
    const { kind } = symbol;
    if ('location' in symbol && !('children' in symbol)) {
      const { range } = symbol.location;
      const container = symbol.containerName ? [symbol.containerName] : [];
      return [
        { names: [...container, ...names], kind, detail: '', depth: 0, uri, start: range.start, range },
      ];
    }
    const { detail, range, selectionRange, children } = symbol as vscode.DocumentSymbol;
    const own = { names, kind, detail, depth: outer.length, uri, start: selectionRange.start, range };
    return [own, ...flatten(children, uri, names)];
  });
}

function byStart(a: SymbolFound, b: SymbolFound): number {
  const [one, other] = [a, b].map((each) => ('range' in each ? each.range : each.location.range).start);
  return one && other ? one.compareTo(other) : 0;
}

/** What the `names` of a symbol end with. */
export function isNamed(names: readonly string[], symbol: string): boolean {
  const asked = symbol.split('.');
  return asked.every((name, index) => names[names.length - asked.length + index] === name);
}

/** `greet()` is how some servers call a function. */
function plainName(name: string): string {
  return name.replace(/\(.*$/s, '') || name;
}

function lastName(symbol: string): string {
  return symbol.split('.').at(-1) || symbol;
}

/** A declaration may begin before its name: `export function greet`. */
function nameIn(document: vscode.TextDocument, start: vscode.Position, name: string): vscode.Position {
  const at = document.offsetAt(start);
  const found = indexOfWord(document.getText().slice(at, at + 2_000), name);
  return found < 0 ? start : document.positionAt(at + found);
}
