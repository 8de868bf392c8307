import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { onOneLine } from './onOneLine.ts';
import { path } from '../tools/paths.ts';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging, placeText } from './answers.ts';
import { readingTool } from './readingTool.ts';
import { pathOf, shownNames } from './sourceLines.ts';
import { flatten } from './targets.ts';
import type { Workshop } from './workshop.ts';

/** `function`, `class` … */
export function kindName(kind: vscode.SymbolKind): string {
  const name = vscode.SymbolKind[kind] ?? 'symbol';
  return name.charAt(0).toLowerCase() + name.slice(1);
}

const file = path.check(z.describe('Path, absolute or relative to the workspace folder'));

export function documentSymbols({ access, servers }: Workshop): Tool {
  return readingTool({
    name: 'documentSymbols',
    title: 'Symbols of a File',
    description:
      'The outline of a file: line:column, kind and name of each symbol, indented by what it is in',
    input: z.object({ file, ...paging }),
    output: z.object({
      symbols: z.array(
        z.object({
          symbol: z.string(),
          kind: z.string(),
          line: z.int(),
          column: z.int(),
          endLine: z.int(),
          depth: z.int(),
        }),
      ),
      ...pageOutput,
    }),
    async run(args, { signal }) {
      access.check();
      const document = await access.document(args.file);
      const symbols = await servers.symbols(document, signal);
      if (symbols.length === 0) {
        await servers.mustCover(document, signal);
      }
      const shown = await page(
        flatten(symbols, document.uri),
        args,
        ({ names, kind, depth, start, range, detail }) => {
          const symbol = onOneLine(names.at(-1) ?? '');
          const data = {
            symbol,
            kind: kindName(kind),
            line: start.line + 1,
            column: start.character + 1,
            endLine: range.end.line + 1,
            depth,
          };
          const more = detail ? ` ${onOneLine(detail, 100)}` : '';
          return {
            line: `${'  '.repeat(Math.min(depth, 20))}${data.line}:${data.column}  ${data.kind} ${symbol}${more}`,
            data,
          };
        },
      );
      return { text: pageText(shown, 'symbol', 'symbols'), data: { symbols: shown.items, ...shown.counts } };
    },
  });
}

export function workspaceSymbols({ access, servers }: Workshop): Tool {
  return readingTool({
    name: 'workspaceSymbols',
    title: 'Symbols of the Workspace',
    description:
      'Symbols of the whole workspace by a part of their name: path:line:column, kind, name and what each is in',
    input: z.object({
      query: z.string().check(z.minLength(1), z.maxLength(200)),
      file: z.optional(
        path.check(z.describe('Any file of the language that is meant: starts its language server')),
      ),
      ...paging,
    }),
    output: z.object({
      symbols: z.array(
        z.object({
          symbol: z.string(),
          kind: z.string(),
          container: z.optional(z.string()),
          path: z.string(),
          line: z.int(),
          column: z.int(),
        }),
      ),
      ...pageOutput,
    }),
    async run(args, { signal }) {
      access.check();
      const document = args.file === undefined ? undefined : await access.document(args.file);
      const found = await servers.ask<vscode.SymbolInformation[]>(
        document,
        signal,
        'vscode.executeWorkspaceSymbolProvider',
        args.query,
      );
      const { items, withheld } = await access.shared(found ?? [], ({ location }) => location.uri);
      const fileName = shownNames();
      const shown = await page(
        items,
        args,
        ({ name, kind, containerName, location: { uri, range } }) => {
          const data = {
            symbol: onOneLine(name),
            kind: kindName(kind),
            ...(containerName && { container: onOneLine(containerName) }),
            path: pathOf(uri),
            line: range.start.line + 1,
            column: range.start.character + 1,
          };
          const container = data.container === undefined ? '' : ` in ${data.container}`;
          return { line: `${placeText(data, fileName)}  ${data.kind} ${data.symbol}${container}`, data };
        },
        withheld,
      );
      const hint =
        items.length + withheld === 0 && !document
          ? '\nA language server answers once it runs: name a file of the language to start it.'
          : '';
      return {
        text: `${pageText(shown, 'symbol', 'symbols')}${hint}`,
        data: { symbols: shown.items, ...shown.counts },
      };
    },
  });
}
