import * as z from 'zod/mini';
import type { Session } from '../server/session.ts';
import { defineTool, text, type Tool } from './tool.ts';

export interface ClosableTabs {
  /**
   * Withdraws this session's proposals of that name, or closes the plain tabs of that label or path.
   * @returns labels of tabs that stay open, because unsaved changes would be lost
   */
  closeTab(session: Session, name: string): Promise<string[]>;
}

export function closeTab(tabs: ClosableTabs): Tool {
  return defineTool({
    name: 'close_tab',
    description: 'Close a tab by its name',
    input: z.object({
      tab_name: z.string().check(z.describe('Name of the tab to close, or the path of its file')),
    }),
    async run({ tab_name }, { session }) {
      const kept = await tabs.closeTab(session, tab_name);
      return kept.length === 0
        ? text('TAB_CLOSED')
        : text(`TAB_NOT_CLOSED: ${kept.join(', ')} has unsaved changes. Save it first (saveDocument).`);
    },
  });
}
