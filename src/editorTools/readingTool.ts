import type * as z from 'zod/mini';
import type { ToolCall } from '../server/session.ts';
import type { Tool } from '../tools/tool.ts';
import type { EditorToolName } from './names.ts';
import { Refusal } from './refusal.ts';

/** What a tool has found, in words for a model and as data for a program. */
export interface Found<Output> {
  text: string;
  data: Output;
}

/** A tool that changes nothing. What it refuses by a `Refusal`, the model is told. */
export function readingTool<Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(tool: {
  name: EditorToolName;
  title: string;
  description: string;
  input: Input;
  output: Output;
  run: (args: z.infer<Input>, call: ToolCall) => Promise<Found<z.infer<Output>>>;
}): Tool {
  const { name, title, description, input, output } = tool;
  return {
    name,
    description,
    input,
    output,
    annotations: { title, readOnlyHint: true, openWorldHint: false },
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
