import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { path } from '../tools/paths.ts';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging } from './answers.ts';
import { mustBeDeclaredInShared } from './declaredIn.ts';
import { onOneLine } from './onOneLine.ts';
import { readingTool } from './readingTool.ts';
import { counting, type Spot } from './spots.ts';
import type { Workshop } from './workshop.ts';

/** Of the name of an item, in UTF-16 units. */
const maxLabel = 200;

export function completion({ access, servers, targets }: Workshop): Tool {
  return readingTool({
    name: 'completion',
    title: 'Completion',
    description:
      'What can be written at a position, as the editor proposes it there: members after a dot, names in scope. What would have to be imported first is left out',
    input: z.object({
      file: path.check(z.describe('Path, absolute or relative to the workspace folder')),
      line: counting.check(z.describe('From 1')),
      column: counting.check(z.describe('From 1, in UTF-16 units: that of the character behind the cursor')),
      ...paging,
    }),
    output: z.object({
      items: z.array(z.object({ label: z.string(), kind: z.string(), detail: z.optional(z.string()) })),
      ...pageOutput,
    }),
    async run({ file, line, column, ...paged }, { signal }) {
      const spot = await targets.find({ file, line, column }, signal);
      const { document, position } = spot;
      const owner = ownerAt(spot);
      if (owner) {
        await mustBeDeclaredInShared({ access, servers }, owner, signal);
      }
      const command = 'vscode.executeCompletionItemProvider';
      const list = await servers.ask<vscode.CompletionList>(
        document,
        signal,
        command,
        document.uri,
        position,
      );
      const known = (list?.items ?? []).filter(isOfThatPlace);
      if (known.length === 0) {
        await servers.mustCover(document, signal);
      }
      const sortText = (item: vscode.CompletionItem) => item.sortText ?? labelOf(item);
      const sorted = known.toSorted(
        (a, b) => Number(sortText(a) > sortText(b)) - Number(sortText(a) < sortText(b)),
      );
      const shown = await page(sorted, paged, (item) => {
        const label = onOneLine(labelOf(item), maxLabel);
        const kind = kindOf(item);
        const detail = detailOf(item);
        return {
          line: [`${kind} ${label}`, ...(detail ? [detail] : [])].join('  '),
          data: { label, kind, ...(detail && { detail }) },
        };
      });
      return {
        text: pageText(shown, 'item', 'items'),
        data: { items: shown.items, ...shown.counts },
      };
    },
  });
}

/** The name in front of the dot behind which something is written; undefined where there is none. */
function ownerAt({ document, position }: Spot): Spot | undefined {
  const before = document.lineAt(position.line).text.slice(0, position.character);
  const member = /[\p{L}\p{N}_$]\s*(?:\?\.|\.|->|::)\s*[\p{L}\p{N}_$]*$/u.exec(before);
  return member ? { document, position: position.with({ character: member.index }) } : undefined;
}

/**
 * Not words of other documents, which the editor offers where it knows nothing better, nor what other files export: they
 * may not be shared, and nothing tells where each is from.
 */
function isOfThatPlace({ kind, label, additionalTextEdits = [], command }: vscode.CompletionItem): boolean {
  const isImported =
    additionalTextEdits.length > 0 ||
    (typeof label === 'object' && label.description !== undefined) ||
    command?.command === '_typescript.applyCompletionCodeAction';
  return kind !== undefined && kind !== vscode.CompletionItemKind.Text && !isImported;
}

function labelOf({ label }: vscode.CompletionItem): string {
  return typeof label === 'string' ? label : label.label;
}

function detailOf({ detail, label }: vscode.CompletionItem): string | undefined {
  const words = detail ?? (typeof label === 'object' ? label.detail : undefined);
  return words && onOneLine(words, maxLabel);
}

/** As the editor's outline says it. */
function kindOf({ kind }: vscode.CompletionItem): string {
  return kind === undefined ? 'item' : vscode.CompletionItemKind[kind].toLowerCase();
}
