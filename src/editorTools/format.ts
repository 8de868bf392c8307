import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { formattingOptions } from '../editor/formattingOptions.ts';
import { path } from '../tools/paths.ts';
import type { Tool } from '../tools/tool.ts';
import { editingTool, type EditingWorkshop } from './editingTool.ts';
import { Refusal } from './refusal.ts';
import { counting, rangeOf } from './spots.ts';
import { AskedAbout } from './workspaceEdits.ts';

const file = path.check(z.describe('Path, absolute or relative to the workspace folder'));

export function format(workshop: EditingWorkshop): Tool {
  const { access, servers } = workshop;
  return editingTool(workshop, {
    name: 'format',
    title: 'Format',
    description: "Formats a file, or lines of it, by the editor's formatter for it and the user's settings",
    input: {
      file,
      line: z.optional(counting.check(z.describe('The first line, from 1; all by default'))),
      endLine: z.optional(counting.check(z.describe('The last line'))),
    },
    done: 'Formatted',
    async find({ file: named, line, endLine }, signal) {
      const document = await access.document(named);
      const { lineCount, uri } = document;
      const first = line ?? (endLine === undefined ? undefined : 1);
      if (first !== undefined && first > lineCount) {
        throw new Refusal(`That file has ${lineCount} lines in the editor.`);
      }
      const range = first === undefined ? undefined : rangeOf(document, { line: first, endLine });
      const asked = new AskedAbout();
      const edits = await servers.ask<vscode.TextEdit[]>(
        document,
        signal,
        range ? 'vscode.executeFormatRangeProvider' : 'vscode.executeFormatDocumentProvider',
        uri,
        ...(range ? [range] : []),
        formattingOptions(uri),
      );
      const edit = new vscode.WorkspaceEdit();
      edit.set(uri, edits ?? []);
      return { edit, asked };
    },
  });
}

export function organizeImports(workshop: EditingWorkshop): Tool {
  const { access, servers } = workshop;
  return editingTool(workshop, {
    name: 'organizeImports',
    title: 'Organize Imports',
    description:
      'Sorts the imports of a file and removes those that are not used, as the language server does it',
    input: { file },
    done: 'Imports organized',
    async find(args, signal) {
      const document = await access.document(args.file);
      const kind = 'source.organizeImports';
      const asked = new AskedAbout();
      const whole = { line: 1, endLine: document.lineCount };
      const actions = (await servers.codeActions(document, whole, kind, 1, signal)) as vscode.CodeAction[];
      const action = actions.find(
        (each) => each.kind?.value === kind || each.kind?.value.startsWith(`${kind}.`),
      );
      if (action && !action.edit && action.command) {
        throw new Refusal('Here this is a command of the editor, not an edit, and these tools run none.');
      }
      return { edit: action?.edit, asked };
    },
  });
}
