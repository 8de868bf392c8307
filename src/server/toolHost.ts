import type { ToolDefinition, ToolResult } from '../protocol/mcp.ts';
import type { Session } from './session.ts';

/** What a tool learns about the call besides its arguments. */
export interface ToolCall {
  readonly session: Session;
  /** Aborted when the client cancels the request or goes away. */
  readonly signal: AbortSignal;
  /** Whether the model made the call; the CLI makes most calls by itself. */
  readonly fromModel: boolean;
}

/** The tools as a session sees them. */
export interface ToolHost {
  list(): ToolDefinition[];
  /** @throws JsonRpcError for an unknown tool or bad arguments. */
  call(name: string, args: unknown, call: ToolCall): Promise<ToolResult>;
}
