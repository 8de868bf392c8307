import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { counted } from '../base/text.ts';
import { path } from '../tools/paths.ts';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, paging } from './answers.ts';
import { clientName } from './clientName.ts';
import { keepTelling } from './keepTelling.ts';
import { onOneLine } from './onOneLine.ts';
import { editorTool } from './readingTool.ts';
import { Refusal } from './refusal.ts';
import type { RunningWorkshop } from './running.ts';
import { shownName } from './sourceLines.ts';
import { late, within } from '../base/within.ts';

/** s for which a call waits: by default, and at most. */
const patience = { normal: 300, most: 1_800 };

/** As the command `testing.run.uri` answers in VS Code 1.96 to 1.139; no API tells it. */
const runResult = z.object({
  items: z.array(
    z.object({
      item: z.object({
        extId: z.string(),
        label: z.string(),
        uri: z.optional(z.nullable(z.object({ path: z.string() }))),
        range: z.optional(z.nullable(z.object({ startLineNumber: z.int() }))),
      }),
      ownComputedState: z.int(),
      tasks: z.array(z.object({ duration: z.optional(z.number()) })),
    }),
  ),
});

/** By their numbers; those between have not run. */
const states: Readonly<Record<number, 'passed' | 'failed' | 'skipped' | 'errored'>> = {
  3: 'passed',
  4: 'failed',
  5: 'skipped',
  6: 'errored',
};

export function runTests({ access, mayRun, log }: RunningWorkshop): Tool {
  return editorTool(
    {
      name: 'runTests',
      title: 'Run Tests of a File',
      description:
        'Runs the tests of a file that the editor’s Testing view knows, and tells which have passed and where the others are. The user is asked first. What a failed test says is in the editor only: read its file, or run it by a task. No single test can be run, as the editor tells the result of none',
      input: z.object({
        file: path,
        timeoutSeconds: z.optional(
          z
            .int()
            .check(
              z.minimum(1),
              z.maximum(patience.most),
              z.describe(`How long to wait; ${patience.normal} by default`),
            ),
        ),
        ...paging,
      }),
      output: z.object({
        passed: z.int(),
        failed: z.int(),
        skipped: z.int(),
        tests: z.array(
          z.object({
            name: z.string(),
            state: z.enum(['passed', 'failed', 'skipped', 'errored']),
            line: z.optional(z.int()),
            milliseconds: z.optional(z.number()),
          }),
        ),
        ...pageOutput,
      }),
      async run({ file, timeoutSeconds = patience.normal, ...paged }, call) {
        const { uri } = await access.document(file);
        await mayRun.must({ ...whatRuns(uri), file }, call, 'running');
        log.info(`${clientName(call.session)} runs the tests of ${onOneLine(uri.fsPath, 1_000)}`);
        const telling = keepTelling(call.tellProgress);
        let answered: unknown;
        try {
          const running = vscode.commands.executeCommand('testing.run.uri', uri);
          answered = await within(timeoutSeconds * 1_000, call.signal, running);
        } finally {
          telling.dispose();
        }
        if (call.signal.aborted) {
          throw new Refusal(
            'The call was cancelled. The tests run on: only the user can end them, in the Testing view.',
          );
        }
        if (answered === late) {
          throw new Refusal(
            `They still run, since ${timeoutSeconds} seconds: their results are in the editor's Testing view.`,
          );
        }
        await access.checkAgain(file);
        const tests = results(answered);
        if (tests.length === 0) {
          throw new Refusal(
            `The editor has told no result: its Testing view knows no test in ${shownName(uri.fsPath)}, or none was run.`,
          );
        }
        const count = (...which: string[]) => tests.filter(({ state }) => which.includes(state)).length;
        const counts = {
          passed: count('passed'),
          failed: count('failed', 'errored'),
          skipped: count('skipped'),
        };
        const worstFirst = tests.toSorted(
          (a, b) => Number(a.state === 'passed') - Number(b.state === 'passed'),
        );
        const shown = await page(worstFirst, paged, (test) => ({
          line: `${test.state}  ${shownName(uri.fsPath)}${test.line === undefined ? '' : `:${test.line}`}  ${test.name}`,
          data: test,
        }));
        return {
          text: [
            `${counted(tests.length, 'test')}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
            ...shown.lines,
            ...(shown.counts.nextOffset === undefined ? [] : ['More of them with a larger limit.']),
          ].join('\n'),
          data: { ...counts, tests: shown.items, ...shown.counts },
        };
      },
    },
    { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  );
}

function whatRuns(uri: vscode.Uri) {
  return {
    title: 'Run tests?',
    words: `wants to run the tests of ${shownName(uri.fsPath)}`,
    code: onOneLine(uri.fsPath, 4_000),
    always: 'Always Run the Tests of This File',
    exactly: `tests ${uri.toString()}`,
  };
}

/** Only those that have a state of their own: not the files and groups that they stand in. */
function results(answered: unknown) {
  const parsed = z.safeParse(runResult, answered);
  return (parsed.data?.items ?? []).flatMap(({ item, ownComputedState, tasks }) => {
    const state = states[ownComputedState];
    const duration = tasks[0]?.duration;
    return state
      ? [
          {
            name: onOneLine(item.label),
            state,
            ...(item.range && { line: item.range.startLineNumber }),
            ...(duration !== undefined && { milliseconds: duration }),
          },
        ]
      : [];
  });
}
