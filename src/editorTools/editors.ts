import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { openNotebook } from '../editor/documents.ts';
import { onOneLine } from './onOneLine.ts';
import { cut } from '../base/text.ts';
import { path } from '../tools/paths.ts';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging, placeText } from './answers.ts';
import { readingTool } from './readingTool.ts';
import { Refusal } from './refusal.ts';
import { pathOf, shownName } from './sourceLines.ts';
import { counting } from './spots.ts';
import type { Workshop } from './workshop.ts';

export function openEditors({ access, tabs }: Workshop): Tool {
  return readingTool({
    name: 'openEditors',
    title: 'Open Editors',
    description: 'The open tabs in their order: path, kind, whether in front, unsaved or pinned',
    input: z.object(paging),
    output: z.object({
      editors: z.array(
        z.object({
          path: z.string(),
          kind: z.string(),
          group: z.int(),
          isActive: z.boolean(),
          isDirty: z.boolean(),
          isPinned: z.boolean(),
          language: z.optional(z.string()),
        }),
      ),
      ...pageOutput,
    }),
    async run(args) {
      access.check();
      const shown = await page(tabs.list(), args, (tab) => {
        const data = {
          path: onOneLine(tab.uri.replace(/^(file:\/\/|untitled:)/, ''), 1_000),
          kind: tab.kind,
          group: tab.groupIndex + 1,
          isActive: tab.isActive && tab.isGroupActive,
          isDirty: tab.isDirty,
          isPinned: tab.isPinned,
          ...(tab.languageId !== undefined && { language: tab.languageId }),
        };
        const notes = [
          data.isActive && 'active',
          data.isDirty && 'unsaved',
          data.isPinned && 'pinned',
          data.kind !== 'text' && data.kind,
        ].filter(Boolean);
        return {
          line: `${shownName(data.path)}${notes.length > 0 ? `  (${notes.join(', ')})` : ''}`,
          data,
        };
      });
      return {
        text: pageText(shown, 'open editor', 'open editors'),
        data: { editors: shown.items, ...shown.counts },
      };
    },
  });
}

export function selection({ access, selections }: Workshop): Tool {
  const at = { line: z.int(), column: z.int() };
  return readingTool({
    name: 'selection',
    title: 'Selection',
    description: 'What the user has selected, or where the cursor is, in the editor that had the focus last',
    input: z.object({}),
    output: z.object({
      path: z.optional(z.string()),
      start: z.optional(z.object(at)),
      end: z.optional(z.object(at)),
      text: z.string(),
    }),
    async run() {
      access.check();
      const { current } = selections;
      if (!current) {
        return { text: 'No file is open that is shared.', data: { text: '' } };
      }
      const { filePath, text } = current;
      const fromOne = ({ line, character }: { line: number; character: number }) => ({
        line: line + 1,
        column: character + 1,
      });
      const [start, end] = [fromOne(current.selection.start), fromOne(current.selection.end)];
      const name = placeText({ path: filePath, ...start }, shownName);
      const words =
        text === '' ? `${name}  (nothing is selected)` : `${name}-${end.line}:${end.column}\n${text}`;
      return { text: words, data: { path: filePath, start, end, text } };
    },
  });
}

/** In UTF-16 units: longer answers the CLI puts into a file. */
const maxBuffer = 40_000;

export function readBuffer({ access }: Workshop): Tool {
  return readingTool({
    name: 'readBuffer',
    title: 'Text in the Editor',
    description:
      'The text of a file as it is in the editor, with what is not saved yet; also of an untitled document, by its name, and of an open notebook its cells',
    input: z.object({
      file: path.check(z.describe('Path, or the name of an untitled document')),
      startLine: z.optional(counting.check(z.describe('From 1'))),
      endLine: z.optional(counting.check(z.describe('Inclusive'))),
    }),
    output: z.object({
      path: z.string(),
      isDirty: z.boolean(),
      language: z.string(),
      lines: z.int(),
      startLine: z.int(),
      text: z.string(),
      nextLine: z.optional(z.int()),
    }),
    async run({ file, startLine = 1, endLine = Infinity }) {
      access.check();
      const document = await access.document(file);
      const { languageId, uri } = document;
      // As a document of its own a notebook has the JSON that is on disk.
      const notebook = openNotebook(uri);
      const cells = notebook && cellLines(notebook);
      const lineCount = cells?.length ?? document.lineCount;
      const { isDirty } = notebook ?? document;
      if (startLine > lineCount) {
        throw new Refusal(`That document has ${lineCount} lines.`);
      }
      const taken: string[] = [];
      let length = 0;
      let next = startLine;
      for (; next <= Math.min(endLine, lineCount); next++) {
        const text = cells?.[next - 1] ?? document.lineAt(next - 1).text;
        length += text.length + 1;
        if (length > maxBuffer && taken.length > 0) {
          break;
        }
        taken.push(cut(text, maxBuffer));
      }
      const text = taken.join('\n');
      const isCut = next <= Math.min(endLine, lineCount);
      const state = document.isUntitled ? 'not saved yet' : isDirty ? 'unsaved changes' : 'as on disk';
      return {
        text: [
          `${shownName(pathOf(uri))}: lines ${startLine} to ${next - 1} of ${lineCount}, ${state}`,
          text,
          ...(isCut ? [`More with startLine ${next}.`] : []),
        ].join('\n'),
        data: {
          path: pathOf(uri),
          isDirty,
          language: languageId,
          lines: lineCount,
          startLine,
          text,
          ...(isCut && { nextLine: next }),
        },
      };
    },
  });
}

/** The cells, each under a line that says which it is. */
function cellLines(notebook: vscode.NotebookDocument): string[] {
  return notebook.getCells().flatMap(({ kind, index, document }) => {
    const what = kind === vscode.NotebookCellKind.Code ? `code, ${document.languageId}` : 'text';
    return [`# Cell ${index + 1} (${what})`, ...document.getText().split(/\r\n?|\n/)];
  });
}
