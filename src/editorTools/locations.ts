import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging, placeText } from './answers.ts';
import { distinct, type Found, foundAt, placeOutput } from './places.ts';
import { readingTool } from './readingTool.ts';
import { shownNames, SourceLines } from './sourceLines.ts';
import { target } from './targets.ts';
import type { Workshop } from './workshop.ts';

const kinds = [
  ['definition', 'Definition', 'Definition', 'Where a symbol is defined'],
  ['declaration', 'Declaration', 'Declaration', 'Where a symbol is declared'],
  ['typeDefinition', 'Type Definition', 'TypeDefinition', 'Where the type of a symbol is defined'],
  [
    'implementation',
    'Implementations',
    'Implementation',
    'What implements an interface, an abstract class or its method',
  ],
  ['references', 'References', 'Reference', 'All uses of a symbol, its declaration among them'],
] as const;

/** Those that answer by places in files. */
export function locationTools({ access, servers, targets }: Workshop): Tool[] {
  return kinds.map(([name, title, provider, description]) =>
    readingTool({
      name,
      title,
      description: `${description}, by the editor's language server, unsaved text included. Answers path:line:column and the source line`,
      input: z.object({ ...target, ...paging }),
      output: z.object({ places: z.array(placeOutput), ...pageOutput }),
      async run(args, { signal }) {
        const { document, position } = await targets.find(args, signal);
        const found = await servers.find<vscode.Location | vscode.LocationLink>(
          document,
          signal,
          `vscode.execute${provider}Provider`,
          document.uri,
          position,
        );
        const { items, withheld } = await access.shared(inOrder(found.map(foundAt)), ({ uri }) => uri);
        const lines = new SourceLines(access);
        const name = shownNames();
        const shown = await page(
          items,
          args,
          async ({ uri, start }) => {
            const data = await lines.place(uri, start);
            return { line: placeText(data, name), data };
          },
          withheld,
        );
        return { text: pageText(shown, 'place', 'places'), data: { places: shown.items, ...shown.counts } };
      },
    }),
  );
}

/** By file and line, so that pages go on where the last one has ended. */
function inOrder(places: readonly Found[]): Found[] {
  return distinct(places)
    .map((place) => ({ place, file: place.uri.toString() }))
    .sort(
      (a, b) => Number(a.file > b.file) - Number(a.file < b.file) || a.place.start.compareTo(b.place.start),
    )
    .map(({ place }) => place);
}
