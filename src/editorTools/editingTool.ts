import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Session } from '../server/session.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolName } from './names.ts';
import { mustStillBeOn } from './mustStillBeOn.ts';
import { editorTool } from './readingTool.ts';
import { editOutput, type ReviewedEdits, tellOf } from './reviewedEdits.ts';
import { type AskedAbout, type FileEdit, fileEdits } from './workspaceEdits.ts';
import type { Workshop } from './workshop.ts';

export interface EditingWorkshop extends Workshop {
  readonly reviewed: ReviewedEdits;
  /** Brings the first of those that the user has not decided into view. */
  readonly showReview: (session: Session, edits: readonly FileEdit[]) => unknown;
}

const reviewed =
  'The user reviews each file as a diff first, and may change or reject it; nothing is written before all are decided.';

/** A tool that has the user review what a language server would change, and writes what they accept. */
export function editingTool<Input extends z.core.$ZodShape>(
  { access, calls, reviewed: reviewing, showReview }: EditingWorkshop,
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
        mustStillBeOn(access, 'editing', 'Nothing was changed.');
        const edits = edit ? await fileEdits(edit, asked, access) : [];
        mustStillBeOn(access, 'editing', 'Nothing was changed.');
        if (edits.length === 0) {
          return { text: 'Nothing to change.', data: { files: [] } };
        }
        const uris = edits.map(({ uri }) => uri);
        const review = () => access.hiding(uris, () => reviewing.review(edits, call));
        const results = await calls.whileAsking(call, () => showReview(call.session, edits), review);
        if (results.every(({ outcome }) => outcome === 'rejected')) {
          calls.refused(call);
        }
        return tellOf(results, done, access);
      },
    },
    { readOnlyHint: false, destructiveHint: false },
  );
}
