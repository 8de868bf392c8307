import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import { onOneLine } from './onOneLine.ts';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging, placeText } from './answers.ts';
import { place } from './places.ts';
import { readingTool } from './readingTool.ts';
import { Refusal } from './refusal.ts';
import { shownName, SourceLines } from './sourceLines.ts';
import { kindName } from './symbols.ts';
import { target } from './targets.ts';
import type { Workshop } from './workshop.ts';

/** What a hierarchy has in one direction. */
interface Related {
  readonly item: Pick<vscode.CallHierarchyItem, 'name' | 'kind' | 'uri' | 'selectionRange'>;
  /** Where it calls, or is called. */
  readonly calls: readonly vscode.Range[];
}

const output = z.object({
  items: z.array(
    z.object({ symbol: z.string(), kind: z.string(), ...place, calls: z.optional(z.array(z.int())) }),
  ),
  ...pageOutput,
});

/** Of one caller: more are counted. */
const maxCalls = 20;

export function callHierarchy(workshop: Workshop): Tool {
  return readingTool({
    name: 'callHierarchy',
    title: 'Calls',
    description: 'Who calls a function (incoming), or whom it calls (outgoing), with the lines of the calls',
    input: z.object({
      ...target,
      direction: z.enum(['incoming', 'outgoing']),
      ...paging,
    }),
    output,
    run: (args, { signal }) =>
      related(workshop, args, signal, 'vscode.prepareCallHierarchy', async (item, ask) => {
        if (args.direction === 'incoming') {
          const calls = await ask<vscode.CallHierarchyIncomingCall>('vscode.provideIncomingCalls', item);
          return calls.map(({ from, fromRanges }) => ({ item: from, calls: fromRanges }));
        }
        const calls = await ask<vscode.CallHierarchyOutgoingCall>('vscode.provideOutgoingCalls', item);
        return calls.map(({ to, fromRanges }) => ({ item: to, calls: fromRanges }));
      }),
  });
}

export function typeHierarchy(workshop: Workshop): Tool {
  return readingTool({
    name: 'typeHierarchy',
    title: 'Types',
    description: 'What a type is made of (supertypes), or what is made of it (subtypes)',
    input: z.object({
      ...target,
      direction: z.enum(['supertypes', 'subtypes']),
      ...paging,
    }),
    output,
    run: (args, { signal }) =>
      related(workshop, args, signal, 'vscode.prepareTypeHierarchy', async (item, ask) => {
        const command =
          args.direction === 'supertypes' ? 'vscode.provideSupertypes' : 'vscode.provideSubtypes';
        const types = await ask<vscode.TypeHierarchyItem>(command, item);
        return types.map((type) => ({ item: type, calls: [] }));
      }),
  });
}

type Ask = <T>(command: string, item: unknown) => Promise<T[]>;

async function related(
  { access, servers, targets }: Workshop,
  args: z.infer<z.ZodMiniObject<typeof target & typeof paging>>,
  signal: AbortSignal,
  prepare: string,
  relatives: (item: unknown, ask: Ask) => Promise<Related[]>,
) {
  const { document, position } = await targets.find(args, signal);
  const roots = await servers.find<Related['item']>(document, signal, prepare, document.uri, position);
  if ((await access.shared(roots, ({ uri }) => uri)).withheld > 0) {
    throw new Refusal('What declares that is not shared by the settings of this editor.');
  }
  const ask: Ask = async <T>(command: string, item: unknown) =>
    (await servers.ask<T[]>(undefined, signal, command, item)) ?? [];
  const all: Related[] = [];
  for (const root of roots) {
    all.push(...(await relatives(root, ask)));
  }
  const { items, withheld } = await access.shared(all, ({ item }) => item.uri);
  const lines = new SourceLines(access);
  const shown = await page(
    items,
    args,
    async ({ item, calls }) => {
      const lineNumbers = [...new Set(calls.map(({ start }) => start.line + 1))].slice(0, maxCalls);
      const data = {
        symbol: onOneLine(item.name),
        kind: kindName(item.kind),
        ...(await lines.place(item.uri, item.selectionRange.start)),
        ...(lineNumbers.length > 0 && { calls: lineNumbers }),
      };
      const { path, line, column } = data;
      const where = lineNumbers.length > 0 ? `  (calls in ${lineNumbers.join(', ')})` : '';
      return {
        line: `${placeText({ path, line, column }, shownName)}  ${data.kind} ${data.symbol}${where}`,
        data,
      };
    },
    withheld,
  );
  return { text: pageText(shown, 'item', 'items'), data: { items: shown.items, ...shown.counts } };
}
