import * as z from 'zod/mini';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging, placeText, shownText } from './answers.ts';
import { place } from './places.ts';
import { readingTool } from './readingTool.ts';
import { shownName, SourceLines } from './sourceLines.ts';
import { renaming } from './targets.ts';
import type { Workshop } from './workshop.ts';

export function renamePreview({ access, servers, targets }: Workshop): Tool {
  return readingTool({
    name: 'renamePreview',
    title: 'Preview of a Rename',
    description:
      'What renaming a symbol would change, everywhere: path:line:column and the source line as it is. Changes nothing',
    input: z.object({ ...renaming, ...paging }),
    output: z.object({
      edits: z.array(z.object({ ...place, endLine: z.int(), endColumn: z.int(), newText: z.string() })),
      files: z.int(),
      ...pageOutput,
    }),
    async run(args, { signal }) {
      const spot = await targets.find(args, signal);
      await servers.mustCover(spot.document, signal);
      const edit = await servers.rename(spot, args.newName, signal);
      const all = (edit?.entries() ?? []).flatMap(([uri, edits]) =>
        edits.map((each) => ({ uri, edit: each })),
      );
      const { items, withheld } = await access.shared(all, ({ uri }) => uri);
      const files = new Set(items.map(({ uri }) => uri.toString())).size;
      const lines = new SourceLines(access);
      const shown = await page(
        items,
        args,
        async ({ uri, edit: { range, newText } }) => {
          const data = {
            ...(await lines.place(uri, range.start)),
            endLine: range.end.line + 1,
            endColumn: range.end.character + 1,
            newText: shownText(newText, 500),
          };
          return { line: placeText(data, shownName), data };
        },
        withheld,
      );
      return {
        text: `In ${files === 1 ? '1 file' : `${files} files`}: ${pageText(shown, 'edit', 'edits')}`,
        data: { edits: shown.items, files, ...shown.counts },
      };
    },
  });
}
