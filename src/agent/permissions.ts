import type { CanUseTool } from './messages.ts';

export type ToolGroup = 'readOnly' | 'edit' | 'execution' | 'mcp' | 'other';

export const editTools: readonly string[] = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'];

const groups: Readonly<Record<string, ToolGroup>> = {
  Read: 'readOnly',
  Glob: 'readOnly',
  Grep: 'readOnly',
  WebFetch: 'readOnly',
  WebSearch: 'readOnly',
  Bash: 'execution',
  PowerShell: 'execution',
};

export function groupOf(tool: string): ToolGroup {
  if (tool.startsWith('mcp__')) {
    return 'mcp';
  }
  return editTools.includes(tool) ? 'edit' : (groups[tool] ?? 'other');
}

/** A rule or mode that the CLI offers to make of a yes; to be given back as it came. */
export type PermissionRule = Readonly<Record<string, unknown>>;

/** What a surface asks the user. */
export interface PermissionQuestion {
  /** Of its item in the conversation. */
  readonly id: string;
  readonly tool: string;
  readonly group: ToolGroup;
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseId?: string;
  /** By the CLI, such as the file's name, or why it asks. */
  readonly description?: string;
  readonly reason?: string;
  /** Outside of the folders. */
  readonly blockedPath?: string;
  /** Of an MCP server that we have named, whatever a folder has under its name; not told by 2.0, nor by 1.0, which takes the folder's. */
  readonly isOfOurServer?: boolean;
  /** A rule or hook of the user's wants them to be asked, not only that nothing allows it; not told by 2.0, nor by 1.0. */
  readonly isDemanded?: boolean;
  readonly rules: readonly PermissionRule[];
}

export type PermissionDecision =
  | {
      readonly kind: 'allow';
      /** What the tool gets in the place of what it asked for. */
      readonly input?: Readonly<Record<string, unknown>>;
      /** Of the question's. */
      readonly rules?: readonly PermissionRule[];
    }
  | { readonly kind: 'deny'; readonly reason: string };

/** Asks the user. @param signal nobody waits for the answer any more: it comes too late for anything */
export type AskPermission = (
  question: PermissionQuestion,
  signal: AbortSignal,
) => Promise<PermissionDecision>;

/** Of `decision_reason_type`; in the mode for plans there is another one with each question. */
const demands: readonly unknown[] = ['rule', 'hook'];

export function questionOf(id: string, request: CanUseTool): PermissionQuestion {
  const { tool_name: tool, tool_use_id, description, decision_reason, blocked_path } = request;
  return {
    id,
    tool,
    group: groupOf(tool),
    input: request.input,
    ...(tool_use_id === undefined ? {} : { toolUseId: tool_use_id }),
    ...(description === undefined ? {} : { description }),
    ...(decision_reason === undefined ? {} : { reason: decision_reason }),
    ...(blocked_path === undefined ? {} : { blockedPath: blocked_path }),
    ...(request.mcp_server?.source === 'dynamic' ? { isOfOurServer: true } : {}),
    ...(demands.includes(request.decision_reason_type) ? { isDemanded: true } : {}),
    rules: request.permission_suggestions ?? [],
  };
}

/** As `can_use_tool` wants it; 1.0 and 2.0 want the input back even if it is as it was. */
export function answerOf(request: CanUseTool, decision: PermissionDecision): object {
  if (decision.kind === 'deny') {
    return { behavior: 'deny', message: decision.reason };
  }
  const { input = request.input, rules = [] } = decision;
  return {
    behavior: 'allow',
    updatedInput: input,
    ...(rules.length > 0 ? { updatedPermissions: rules } : {}),
  };
}
