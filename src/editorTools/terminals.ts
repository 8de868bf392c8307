import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging } from './answers.ts';
import { onOneLine } from './onOneLine.ts';
import { plainOutput, tail } from './plainOutput.ts';
import { readingTool } from './readingTool.ts';
import type { RunningWorkshop } from './running.ts';

/** UTF-16 units of output of one terminal. */
const maxUnits = 4_000;

export function terminals({ access, printed, isOfSession }: RunningWorkshop): Tool {
  return readingTool({
    name: 'terminals',
    title: 'Terminals',
    description:
      'The open terminals: name, folder, and where the shell tells it the last command with its exit code and last lines of output',
    input: z.object({
      name: z.optional(z.string().check(z.maxLength(1_000), z.describe('Only those called so'))),
      lines: z.optional(
        z
          .int()
          .check(
            z.minimum(0),
            z.maximum(200),
            z.describe('How many of the last lines of output; 10 by default'),
          ),
      ),
      ...paging,
    }),
    output: z.object({
      terminals: z.array(
        z.object({
          name: z.string(),
          isActive: z.boolean(),
          folder: z.optional(z.string()),
          command: z.optional(z.string()),
          isRunning: z.optional(z.boolean()),
          exitCode: z.optional(z.int()),
          output: z.optional(z.string()),
        }),
      ),
      ...pageOutput,
    }),
    async run({ name, lines = 10, ...paged }) {
      access.check();
      const named = vscode.window.terminals.filter((each) => name === undefined || each.name === name);
      const shown = await page(named, paged, (terminal) => {
        const ofAgent = isOfSession(terminal);
        if (ofAgent) {
          printed.keepPrivate(terminal);
        }
        const last = ofAgent ? undefined : printed.lastCommand(terminal);
        const output = last?.output && tail(plainOutput(last.output), lines, maxUnits).text;
        const folder = terminal.shellIntegration?.cwd?.fsPath;
        const data = {
          name: onOneLine(terminal.name),
          isActive: terminal === vscode.window.activeTerminal,
          ...(folder !== undefined && { folder: onOneLine(folder, 1_000) }),
          ...(last && {
            command: onOneLine(last.line, 1_000),
            isRunning: last.isRunning,
            ...(output && { output }),
          }),
          ...(last?.exitCode !== undefined && { exitCode: last.exitCode }),
        };
        const notes = [
          data.isActive && 'active',
          data.folder,
          ofAgent ? 'an agent works in it: not told' : !last && 'nothing known of its commands',
        ].filter(Boolean);
        const state = last?.isRunning
          ? 'runs'
          : data.exitCode === undefined
            ? 'ended'
            : `exit code ${data.exitCode}`;
        return {
          line: [
            `${data.name}${notes.length > 0 ? `  (${notes.join(', ')})` : ''}`,
            ...(last ? [`  $ ${data.command}  (${state})`] : []),
            ...(output
              ? output.split('\n').map((line) => `  ${line}`)
              : last
                ? ['  (the editor tells of no output)']
                : []),
          ].join('\n'),
          data,
        };
      });
      return {
        text: pageText(shown, 'terminal', 'terminals'),
        data: { terminals: shown.items, ...shown.counts },
      };
    },
  });
}
