import type { ToolResult } from '../protocol/mcp.ts';
import { toolError } from '../tools/tool.ts';
import { type ToolGroup, toolGroups } from './names.ts';

/** Why a tool of a group that is off does nothing, and what switches it on. */
export function offError(name: string, group: ToolGroup): ToolResult {
  return toolError(
    `${name} ${toolGroups[group].what}, which the user of this editor has to allow first, by the setting ideBridge.editorTools.${group}.`,
  );
}
