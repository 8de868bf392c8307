import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { path } from '../tools/paths.ts';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging } from './answers.ts';
import { mustBeDeclaredInShared } from './declaredIn.ts';
import { importUnshared } from './namedFiles.ts';
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
      'What can be written at a position, as the editor proposes it there: members after a dot, what a module has to import, and of names in scope those that the file has already',
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
      const owner = ownerAt(spot) ?? moduleAt(spot);
      const declaring = owner && (await mustBeDeclaredInShared({ access, servers }, owner, signal));
      const isOfOwner =
        declaring !== undefined && declaring.length > 0 && !(await importUnshared(declaring, access));
      const command = 'vscode.executeCompletionItemProvider';
      const list = await servers.ask<vscode.CompletionList>(
        document,
        signal,
        command,
        document.uri,
        position,
      );
      const offered = (list?.items ?? []).filter(isOfThatPlace);
      if (offered.length === 0) {
        await servers.mustCover(document, signal);
      }
      const known = isOfOwner ? offered : offered.filter(isKnownIn(document));
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

/** UTF-16 units that are looked through around a position. */
const around = 10_000;

function textBefore({ document, position }: Spot): { text: string; start: number } {
  const at = document.offsetAt(position);
  const start = Math.max(0, at - around);
  return { text: document.getText().slice(start, at), start };
}

/** The name of what has the member that is written there: before the dot, or before the call or index in front of it. */
function ownerAt(spot: Spot): Spot | undefined {
  const { document } = spot;
  const { text, start } = textBefore(spot);
  const member = /[!?]?(?:\.|->|::)\s*[\p{L}\p{N}_$]*$/u.exec(text);
  if (!member) {
    return undefined;
  }
  let owner = text.slice(0, member.index).trimEnd();
  while (/[)\]]$/.test(owner)) {
    owner = beforeBrackets(owner);
  }
  const isName = /[\p{L}\p{N}_$]$/u.test(owner);
  return isName ? { document, position: document.positionAt(start + owner.length - 1) } : undefined;
}

/** Without the brackets that it ends with, and what is in them; nothing where they have no begin. */
function beforeBrackets(text: string): string {
  for (let index = text.length - 1, depth = 0; index >= 0; index--) {
    depth += /[)\]]/.test(text.charAt(index)) ? 1 : /[([]/.test(text.charAt(index)) ? -1 : 0;
    if (depth === 0) {
      return text.slice(0, index).trimEnd();
    }
  }
  return '';
}

/** In the braces of an import or export: the name of the module that it is from. */
function moduleAt(spot: Spot): Spot | undefined {
  const { document, position } = spot;
  const at = document.offsetAt(position);
  const behind = /^[^{}'"`;]*\}\s*from\s*["']/.exec(document.getText().slice(at, at + around));
  const isInBraces = /\b(?:import|export)\b[^;'"`{}]*\{[^;'"`{}]*$/.test(textBefore(spot).text);
  return behind && isInBraces
    ? { document, position: document.positionAt(at + behind[0].length) }
    : undefined;
}

/** Languages whose words are their own: no file declares them. */
const ofLanguage = ['css', 'scss', 'less', 'html', 'json', 'jsonc'];

/**
 * Whether a document has the name already: where nothing tells which file declares one, be it the member of a type that
 * fits there or a global, only that tells nothing of a file that is not shared.
 */
function isKnownIn(document: vscode.TextDocument): (item: vscode.CompletionItem) => boolean {
  const wordsOf = (text: string) => text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const words = new Set(wordsOf(document.getText()));
  return (item) =>
    item.kind === vscode.CompletionItemKind.Keyword ||
    ofLanguage.includes(document.languageId) ||
    wordsOf(labelOf(item)).every((word) => words.has(word));
}

/**
 * Not words of other documents, which the editor offers where it knows nothing better, nor names of files, nor what other
 * files export: they may not be shared, and nothing tells where each is from.
 */
function isOfThatPlace({ kind, label, additionalTextEdits = [], command }: vscode.CompletionItem): boolean {
  const isImported =
    additionalTextEdits.length > 0 ||
    (typeof label === 'object' && label.description !== undefined) ||
    command?.command === '_typescript.applyCompletionCodeAction';
  return kind !== undefined && !fromElsewhere.includes(kind) && !isImported;
}

const fromElsewhere = [
  vscode.CompletionItemKind.Text,
  vscode.CompletionItemKind.File,
  vscode.CompletionItemKind.Folder,
];

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
