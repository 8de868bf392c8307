import * as z from 'zod/mini';
import { defineTool, json, type Tool } from './tool.ts';

export interface Workspace {
  readonly folders: { name: string; uri: string; path: string; index: number }[];
  /** Path of the .code-workspace file. */
  readonly workspaceFile: string | null;
}

export function getWorkspaceFolders(workspace: Workspace): Tool {
  return defineTool({
    name: 'getWorkspaceFolders',
    description: 'Get all workspace folders currently open in the IDE',
    input: z.object({}),
    run() {
      const { folders, workspaceFile } = workspace;
      return json({ success: true, folders, rootPath: folders[0]?.path ?? null, workspaceFile });
    },
  });
}
