import type * as z from 'zod/mini';
import type { ToolAnnotations } from '../protocol/mcp.ts';
import type { ToolCall } from '../server/session.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolName } from './names.ts';
import { Refusal } from './refusal.ts';

/** What a tool has found, in words for a model and as data for a program. */
export interface Found<Output> {
  text: string;
  data: Output;
}

interface Described<Input extends z.ZodMiniObject, Output extends z.ZodMiniObject> {
  name: ToolName;
  title: string;
  description: string;
  input: Input;
  output: Output;
  run: (args: z.infer<Input>, call: ToolCall) => Promise<Found<z.infer<Output>>>;
}

/** A tool that changes nothing. */
export function readingTool<Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
  tool: Described<Input, Output>,
): Tool {
  return editorTool(tool, { readOnlyHint: true });
}

/** What a tool refuses by a `Refusal`, the model is told. */
export function editorTool<Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
  tool: Described<Input, Output>,
  hints: ToolAnnotations,
): Tool {
  const { name, title, description, input, output } = tool;
  return {
    name,
    description,
    input,
    output,
    annotations: { title, openWorldHint: false, ...hints },
    async run(args, call) {
      const parsed = input.parse(args);
      try {
        const { text: words, data } = await tool.run(parsed, call);
        return { content: [{ type: 'text', text: words }], structuredContent: data };
      } catch (error) {
        if (error instanceof Refusal) {
          return { content: [{ type: 'text', text: error.message }], isError: true };
        }
        throw error;
      }
    },
  };
}
