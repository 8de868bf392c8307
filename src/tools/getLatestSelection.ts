import * as z from 'zod/mini';
import type { SelectionChanged } from '../protocol/ide.ts';
import { defineTool, json, type Tool } from './tool.ts';

export interface LatestSelection {
  readonly current: SelectionChanged | undefined;
}

export function getLatestSelection(selections: LatestSelection): Tool {
  return defineTool({
    name: 'getLatestSelection',
    description: 'Get the most recent text selection (even if not in the active editor)',
    input: z.object({}),
    run: () => json(selections.current ?? { success: false, message: 'No selection available' }),
  });
}
