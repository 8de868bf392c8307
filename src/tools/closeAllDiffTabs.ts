import * as z from 'zod/mini';
import type { Session } from '../server/session.ts';
import { defineTool, text, type Tool } from './tool.ts';

export interface WithdrawableProposals {
  /** Withdraws every proposal of this session. @returns how many there were. */
  withdrawAll(session: Session): Promise<number>;
}

/** The CLI calls this with every prompt: it must touch nothing but the session's own diffs. */
export function closeAllDiffTabs(proposals: WithdrawableProposals): Tool {
  return defineTool({
    name: 'closeAllDiffTabs',
    description: 'Close all diffs that this client has opened.',
    input: z.object({}),
    run: async (_args, { session }) => text(`CLOSED_${await proposals.withdrawAll(session)}_DIFF_TABS`),
  });
}
