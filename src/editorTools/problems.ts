import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { onOneLine } from './onOneLine.ts';
import { rawFileUri } from '../editor/rawUri.ts';
import { path } from '../tools/paths.ts';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging, placeText } from './answers.ts';
import { readingTool } from './readingTool.ts';
import { pathOf, shortName, shownName } from './sourceLines.ts';
import { counting } from './targets.ts';
import type { Workshop } from './workshop.ts';

const severities = ['Error', 'Warning', 'Information', 'Hint'] as const;
/** ms for a server that is asked for what it does not tell by itself. */
const patience = 5_000;

export function diagnostics({ access, diagnostics: source }: Workshop): Tool {
  return readingTool({
    name: 'diagnostics',
    title: 'Problems',
    description:
      'Errors, warnings and hints of one file or of all, the worst first: path:line:column, severity, message',
    input: z.object({
      file: z.optional(path.check(z.describe('Path; all files that have problems by default'))),
      severity: z.optional(
        z.enum(['error', 'warning', 'information', 'hint']).check(z.describe('At least; warning by default')),
      ),
      ...paging,
    }),
    output: z.object({
      problems: z.array(
        z.object({
          path: z.string(),
          line: z.int(),
          column: z.int(),
          severity: z.string(),
          message: z.string(),
          source: z.optional(z.string()),
          code: z.optional(z.string()),
        }),
      ),
      ...pageOutput,
    }),
    async run(args, { signal }) {
      access.check();
      const uri =
        args.file === undefined ? undefined : rawFileUri((await access.document(args.file)).uri.fsPath);
      await Promise.race([source.learn(uri), sleep(patience, undefined, { signal, ref: false })]);
      const files = uri === undefined ? source.all() : [source.of(uri)];
      const worst = severities.findIndex((each) => each.toLowerCase() === (args.severity ?? 'warning'));
      const all = files
        .flatMap(({ uri: name, diagnostics: found }) =>
          found.map((problem) => ({ problem, rank: severities.indexOf(problem.severity), name })),
        )
        .filter(({ rank }) => rank <= worst)
        .sort((a, b) => a.rank - b.rank);
      const shown = await page(all, args, ({ name, problem }) => {
        const { message, severity, range, source: from, code } = problem;
        const data = {
          path: vscode.Uri.file(name.slice('file://'.length)).fsPath,
          line: range.start.line + 1,
          column: range.start.character + 1,
          severity: severity.toLowerCase(),
          message: onOneLine(message.replaceAll(/\s+/g, ' '), 500),
          ...(from !== undefined && { source: onOneLine(from, 60) }),
          ...(code !== undefined && { code: onOneLine(code, 60) }),
        };
        const by = [data.source, data.code].filter((each) => each !== undefined).join(' ');
        return {
          line: `${placeText(data, shortName)}  ${data.severity}${by && ` [${by}]`}: ${data.message}`,
          data,
        };
      });
      return {
        text: pageText(shown, 'problem', 'problems'),
        data: { problems: shown.items, ...shown.counts },
      };
    },
  });
}

export function codeActions({ access, servers }: Workshop): Tool {
  return readingTool({
    name: 'codeActions',
    title: 'Code Actions',
    description:
      'Quick fixes and refactorings that the editor offers for lines of a file: listed, not applied',
    input: z.object({
      file: path.check(z.describe('Path')),
      line: counting.check(z.describe('The first line, from 1')),
      endLine: z.optional(counting.check(z.describe('The last line; the first by default'))),
      kind: z.optional(
        z.string().check(z.maxLength(100), z.describe('Only of this kind, such as quickfix or refactor')),
      ),
      ...paging,
    }),
    output: z.object({
      actions: z.array(
        z.object({
          title: z.string(),
          kind: z.optional(z.string()),
          isPreferred: z.boolean(),
          disabled: z.optional(z.string()),
        }),
      ),
      ...pageOutput,
    }),
    async run(args, { signal }) {
      access.check();
      const document = await access.document(args.file);
      const first = document.lineAt(Math.min(args.line, document.lineCount) - 1).range;
      const last = document.lineAt(
        Math.min(Math.max(args.endLine ?? args.line, args.line), document.lineCount) - 1,
      ).range;
      const found = await servers.find<vscode.CodeAction | vscode.Command>(
        document,
        signal,
        'vscode.executeCodeActionProvider',
        document.uri,
        first.union(last),
        ...(args.kind === undefined ? [] : [args.kind]),
      );
      const shown = await page(found, args, (action) => {
        const { title, kind, isPreferred, disabled } = action as vscode.CodeAction; // a command has but a title
        const data = {
          title: onOneLine(title),
          ...(kind && { kind: onOneLine(kind.value, 100) }),
          isPreferred: isPreferred === true,
          ...(disabled && { disabled: onOneLine(disabled.reason) }),
        };
        const notes = [
          data.kind,
          data.isPreferred && 'preferred',
          data.disabled && `not now: ${data.disabled}`,
        ];
        const noted = notes.filter(Boolean).join(', ');
        return { line: `${data.title}${noted && `  (${noted})`}`, data };
      });
      const head = `${shownName(pathOf(document.uri))}:${args.line}: `;
      return {
        text: `${head}${pageText(shown, 'code action', 'code actions')}`,
        data: { actions: shown.items, ...shown.counts },
      };
    },
  });
}
