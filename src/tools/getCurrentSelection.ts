import * as z from 'zod/mini';
import type { SelectionChanged } from '../protocol/ide.ts';
import { defineTool, json, type Tool } from './tool.ts';

export interface ActiveSelection {
  /** In the editor that has the focus, or had it last in the active group. */
  readonly active: SelectionChanged | undefined;
}

export function getCurrentSelection(selections: ActiveSelection): Tool {
  return defineTool({
    name: 'getCurrentSelection',
    description: 'Get the current text selection in the active editor',
    input: z.object({}),
    run: () =>
      json(
        selections.active
          ? { success: true, ...selections.active }
          : { success: false, message: 'No active editor found' },
      ),
  });
}
