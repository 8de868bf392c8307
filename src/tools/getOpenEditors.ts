import * as z from 'zod/mini';
import type { OpenEditors } from './openEditors.ts';
import { defineTool, json, type Tool } from './tool.ts';

export function getOpenEditors(editors: OpenEditors): Tool {
  return defineTool({
    name: 'getOpenEditors',
    description: 'Get information about currently open editors',
    input: z.object({}),
    run: () => json({ tabs: editors.list() }),
  });
}
