import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Tool } from '../tools/tool.ts';
import type { ToolName } from './names.ts';
import { editorTool } from './readingTool.ts';
import { editOutput, type ReviewedEdits } from './reviewedEdits.ts';
import { type AskedAbout, fileEdits } from './workspaceEdits.ts';
import type { Workshop } from './workshop.ts';

export interface EditingWorkshop extends Workshop {
  readonly reviewed: ReviewedEdits;
}

const reviewed =
  'The user reviews each file as a diff first, and may change or reject it; nothing is written before all are decided.';

/** A tool that has the user review what a language server would change, and writes what they accept. */
export function editingTool<Input extends z.core.$ZodShape>(
  { access, reviewed: reviewing }: EditingWorkshop,
  tool: {
    name: ToolName;
    title: string;
    description: string;
    input: Input;
    /** What is done, at the begin of the answer. */
    done: string;
    /** Undefined where there is nothing to change. */
    find: (
      args: z.infer<z.ZodMiniObject<Input>>,
      signal: AbortSignal,
    ) => Promise<{ edit: vscode.WorkspaceEdit | undefined; asked: AskedAbout; done?: string }>;
  },
): Tool {
  const { name, title, description } = tool;
  return editorTool(
    {
      name,
      title,
      description: `${description}. ${reviewed}`,
      input: z.object(tool.input),
      output: editOutput,
      async run(args, call) {
        access.check();
        const { edit, asked, done = tool.done } = await tool.find(args, call.signal);
        const edits = edit ? await fileEdits(edit, asked, access) : [];
        return edits.length === 0
          ? { text: 'Nothing to change.', data: { files: [] } }
          : reviewing.review(edits, done, call);
      },
    },
    { readOnlyHint: false, destructiveHint: false },
  );
}
