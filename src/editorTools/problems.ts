import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { onOneLine } from './onOneLine.ts';
import { rawFileUri } from '../editor/rawUri.ts';
import { path } from '../tools/paths.ts';
import type { FileDiagnostics } from '../protocol/ide.ts';
import type { Tool } from '../tools/tool.ts';
import type { Access } from './access.ts';
import { page, pageOutput, pageText, paging, placeText } from './answers.ts';
import { withoutUnshared } from './namedFiles.ts';
import { type ChangedProblem, Marks, type Problem, problemChanges } from './problemChanges.ts';
import { readingTool } from './readingTool.ts';
import { Refusal } from './refusal.ts';
import { pathOf, shownName } from './sourceLines.ts';
import { counting, someLines } from './spots.ts';
import type { Workshop } from './workshop.ts';

const severities = ['Error', 'Warning', 'Information', 'Hint'] as const;
/** ms for a server that is asked for what it does not tell by itself. */
const patience = 5_000;

const problemOutput = z.object({
  path: z.string(),
  line: z.int(),
  column: z.int(),
  severity: z.string(),
  message: z.string(),
  source: z.optional(z.string()),
  code: z.optional(z.string()),
});

export function diagnostics({ access, diagnostics: source }: Workshop): Tool {
  const marks = new Marks();
  return readingTool({
    name: 'diagnostics',
    title: 'Problems',
    description:
      'Errors, warnings and hints of one file or of all, the worst first: path:line:column, severity, message. Each answer ends with a mark; with that as since, only what has come (+) and gone (-) from then on',
    input: z.object({
      file: z.optional(path.check(z.describe('Path; all files that have problems by default'))),
      severity: z.optional(
        z.enum(['error', 'warning', 'information', 'hint']).check(z.describe('At least; warning by default')),
      ),
      since: z.optional(counting.check(z.describe('The mark of an earlier answer'))),
      ...paging,
    }),
    output: z.object({
      problems: z.array(z.extend(problemOutput, { change: z.optional(z.enum(['new', 'gone'])) })),
      mark: z.optional(z.int()),
      ...pageOutput,
    }),
    async run({ file, severity = 'warning', since, ...args }, { session, signal }) {
      access.check();
      const before = since === undefined ? undefined : marks.get(session, since);
      const document = file === undefined ? undefined : await access.document(file);
      if (document?.isUntitled) {
        throw new Refusal('The problems of a document without a file are not told. Save it first.');
      }
      const uri = document && rawFileUri(document.uri.fsPath);
      await Promise.race([source.learn(uri), sleep(patience, undefined, { signal, ref: false })]);
      const everywhere = source.all();
      const mark = marks.add(session, everywhere.flatMap(problemsOf));
      const now = (uri === undefined ? everywhere : [source.of(uri)]).flatMap(problemsOf);
      const worst = rankOf(severity);
      const isAsked = (problem: Problem) =>
        rankOf(problem.severity) <= worst && (uri === undefined || rawFileUri(problem.path) === uri);
      const all = before
        ? await changesSince(before.filter(isAsked), now.filter(isAsked), access)
        : now.filter(isAsked);
      const shown = await page(
        all.sort((a, b) => rankOf(a.severity) - rankOf(b.severity)),
        args,
        (data: ChangedProblem) => ({ line: problemLine(data), data }),
      );
      const ending = mark === undefined ? '' : `\nMark ${mark}.`;
      const [one, several] = before ? words.changed : words.all;
      return {
        text: `${pageText(shown, one, several)}${ending}`,
        data: { problems: shown.items, ...(mark !== undefined && { mark }), ...shown.counts },
      };
    },
  });
}

const words = {
  all: ['problem', 'problems'],
  changed: ['problem has come or gone', 'problems have come or gone'],
} as const;

function problemsOf({ uri, diagnostics: found }: FileDiagnostics): Problem[] {
  const file = vscode.Uri.file(uri.slice('file://'.length)).fsPath;
  return found.map(({ message, severity, range, source, code }) => ({
    path: file,
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: severity.toLowerCase(),
    message: onOneLine(message.replaceAll(/\s+/g, ' '), 500),
    ...(source !== undefined && { source: onOneLine(source, 60) }),
    ...(code !== undefined && { code: onOneLine(code, 60) }),
  }));
}

/** What is gone in a file that is not shared any more is not told. */
async function changesSince(
  before: readonly Problem[],
  now: readonly Problem[],
  access: Access,
): Promise<ChangedProblem[]> {
  const changes = problemChanges(before, now);
  const { items: gone } = await access.shared(changes.gone, (problem) => vscode.Uri.file(problem.path));
  return [
    ...changes.come.map((problem) => ({ ...problem, change: 'new' as const })),
    ...gone.map((problem) => ({ ...problem, change: 'gone' as const })),
  ];
}

function problemLine(problem: ChangedProblem): string {
  const by = [problem.source, problem.code].filter((each) => each !== undefined).join(' ');
  const sign = { new: '+ ', gone: '- ', none: '' }[problem.change ?? 'none'];
  return `${sign}${placeText(problem, shownName)}  ${problem.severity}${by && ` [${by}]`}: ${problem.message}`;
}

function rankOf(severity: string): number {
  return severities.findIndex((each) => each.toLowerCase() === severity);
}

export function codeActions({ access, servers }: Workshop): Tool {
  return readingTool({
    name: 'codeActions',
    title: 'Code Actions',
    description:
      'Quick fixes and refactorings that the editor offers for lines of a file, and which files each would change: listed, not applied',
    input: z.object({
      ...someLines,
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
          changes: z.optional(z.array(z.string())),
          isCommand: z.optional(z.boolean()),
        }),
      ),
      ...pageOutput,
    }),
    async run(args, { signal }) {
      access.check();
      const document = await access.document(args.file);
      const limit = (args.offset ?? 0) + (args.limit ?? 50);
      const found = await servers.codeActions(document, args, args.kind, limit, signal);
      const told = await withoutUnshared(found, document.uri, access);
      const show = async (action: vscode.CodeAction | vscode.Command) => {
        // A command has but a title.
        const { title, kind, isPreferred, disabled, edit } = action as vscode.CodeAction;
        const { items } = await access.shared(edit?.entries() ?? [], ([uri]) => uri);
        const data = {
          title: onOneLine(title),
          ...(kind && { kind: onOneLine(kind.value, 100) }),
          isPreferred: isPreferred === true,
          ...(disabled && { disabled: onOneLine(disabled.reason) }),
          ...(edit && { changes: items.map(([uri]) => pathOf(uri)) }),
          ...(!edit && !disabled && { isCommand: true }),
        };
        const notes = [
          data.kind,
          data.isPreferred && 'preferred',
          data.disabled && `not now: ${data.disabled}`,
          data.isCommand && 'a command',
          data.changes?.length && `changes ${data.changes.map(shownName).join(', ')}`,
        ];
        const noted = notes.filter(Boolean).join(', ');
        return { line: `${data.title}${noted && `  (${noted})`}`, data };
      };
      const shown = await page(told, args, show, found.length - told.length);
      const head = `${shownName(pathOf(document.uri))}:${args.line}: `;
      return {
        text: `${head}${pageText(shown, 'code action', 'code actions')}`,
        data: { actions: shown.items, ...shown.counts },
      };
    },
  });
}
