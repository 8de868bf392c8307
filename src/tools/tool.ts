import type * as z from 'zod/mini';
import type { ToolAnnotations, ToolResult } from '../protocol/mcp.ts';
import type { ToolCall } from '../server/session.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodMiniObject;
  /** What `structuredContent` has. */
  readonly output?: z.ZodMiniObject;
  readonly annotations?: ToolAnnotations;
  /** @throws $ZodError when `args` do not fit the schema. */
  run(args: unknown, call: ToolCall): Promise<ToolResult>;
}

export function defineTool<Input extends z.ZodMiniObject>(tool: {
  name: string;
  description: string;
  input: Input;
  run: (args: z.infer<Input>, call: ToolCall) => ToolResult | Promise<ToolResult>;
}): Tool {
  return {
    name: tool.name,
    description: tool.description,
    input: tool.input,
    run: async (args, call) => tool.run(tool.input.parse(args), call),
  };
}

/** A result of text blocks. */
export function text(...blocks: string[]): ToolResult {
  return { content: blocks.map((block) => ({ type: 'text', text: block })) };
}

/** Two spaces, as the official extension has it. */
export function json(value: unknown): ToolResult {
  return text(JSON.stringify(value, undefined, 2));
}

/** The call failed; `message` says what was wrong and what to do. */
export function toolError(message: string): ToolResult {
  return { ...text(message), isError: true };
}
