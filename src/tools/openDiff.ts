import * as z from 'zod/mini';
import type { Proposer } from '../server/proposer.ts';
import { absolutePath } from './paths.ts';
import { defineTool, text, type Tool } from './tool.ts';

export interface ProposalRequest {
  session: Proposer;
  /** The CLI's name for the proposal, unique per call. */
  tabName: string;
  /** Absolute; neither the file nor its folder need exist. */
  filePath: string;
  /** The complete text, with LF line ends whatever the file has; a BOM is part of it. */
  proposedText: string;
}

/** How a proposal ended: by a decision, here or at the client (withdrawn), or because nobody waits any more (dropped). */
export type Outcome =
  | { kind: 'accepted'; finalText: string }
  /** `reason`: what the user wants instead; where it can be told so, and not by a terminal. */
  | { kind: 'rejected'; reason?: string }
  | { kind: 'withdrawn' | 'dropped' };

export interface ProposalReviewer {
  /**
   * Shows the proposal to the user and waits for the decision.
   * @throws when the editor cannot show it
   */
  review(request: ProposalRequest, signal: AbortSignal): Promise<Outcome>;
}

export function openDiff(reviewer: ProposalReviewer): Tool {
  return defineTool({
    name: 'openDiff',
    description:
      'Open a diff of the file with the proposed contents and wait until the user accepts, edits or rejects it. Nothing is written to the file.',
    input: z.object({
      old_file_path: absolutePath.check(z.describe('Absolute path of the file')),
      new_file_path: z
        .optional(absolutePath)
        .check(z.describe('Absolute path of the changed file, the same as a rule')),
      new_file_contents: z.string().check(z.describe('The complete proposed text')),
      tab_name: z.string().check(z.minLength(1), z.describe('Name by which close_tab finds this diff')),
    }),
    async run(args, { session, signal }) {
      const outcome = await reviewer.review(
        {
          session,
          tabName: args.tab_name,
          filePath: args.new_file_path ?? args.old_file_path,
          proposedText: args.new_file_contents,
        },
        signal,
      );
      // The CLI ignores FILE_SAVED without the text, and takes anything that says TAB_CLOSED as a yes.
      return outcome.kind === 'accepted'
        ? text('FILE_SAVED', outcome.finalText)
        : text('DIFF_REJECTED', args.tab_name);
    },
  });
}
