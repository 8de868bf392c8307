import * as z from 'zod/mini';
import { ApiError } from './apiError.ts';
import type {
  LanguageModelRequest,
  ModelImage,
  ModelMessage,
  ModelPart,
  ModelTool,
} from './languageModels.ts';

/** What we read of a request of the Messages API; all else in it is let through and not used. */
const block = z.object({
  type: z.string(),
  text: z.optional(z.string()),
  id: z.optional(z.string()),
  name: z.optional(z.string()),
  input: z.optional(z.record(z.string(), z.unknown())),
  tool_use_id: z.optional(z.string()),
  is_error: z.optional(z.nullable(z.boolean())),
  content: z.optional(z.unknown()),
  source: z.optional(
    z.object({ type: z.string(), media_type: z.optional(z.string()), data: z.optional(z.string()) }),
  ),
});
type Block = z.infer<typeof block>;

const blocks = z.array(block);
const content = z.union([z.string(), blocks]);

const messagesRequest = z.object({
  model: z.string(),
  max_tokens: z.optional(z.number()),
  stream: z.optional(z.boolean()),
  system: z.optional(content),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant', 'system']), content })),
  stop_sequences: z.optional(z.nullable(z.array(z.string()))),
  tools: z.optional(
    z.array(
      z.object({
        name: z.string(),
        description: z.optional(z.string()),
        input_schema: z.optional(z.record(z.string(), z.unknown())),
      }),
    ),
  ),
  tool_choice: z.optional(z.object({ type: z.string(), name: z.optional(z.string()) })),
});
export type MessagesRequest = z.infer<typeof messagesRequest>;

/** @throws {ApiError} that says what is wrong where */
export function parseRequest(body: string): MessagesRequest {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new ApiError('invalid_request_error', 'The request is not JSON.');
  }
  const parsed = messagesRequest.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ApiError(
      'invalid_request_error',
      `${issue?.path.join('.') ?? 'request'}: ${issue?.message ?? 'is not understood'}`,
    );
  }
  return parsed.data;
}

/** The instructions come as the first words of the user: an editor's models have no place of their own for them. */
export function toLanguageModel({
  system,
  messages,
  tools = [],
  tool_choice,
}: MessagesRequest): LanguageModelRequest {
  const instructions = plainText(system ?? []);
  const all: ModelMessage[] = [
    ...(instructions === ''
      ? []
      : [{ role: 'user', parts: [{ kind: 'text', text: instructions }] } as const]),
    ...messages.map(({ role, content }): ModelMessage => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      parts: typeof content === 'string' ? [{ kind: 'text', text: content }] : content.flatMap(partsOf),
    })),
  ].filter(({ parts }) => parts.length > 0);
  // A tool without a schema is one of the API's own servers (web_search_…): here nobody has it.
  const offered = tools.flatMap(({ name, description = '', input_schema }): ModelTool[] =>
    input_schema ? [{ name, description, inputSchema: input_schema }] : [],
  );
  return {
    messages: all,
    tools:
      tool_choice?.type === 'none'
        ? []
        : tool_choice?.type === 'tool'
          ? offered.filter(({ name }) => name === tool_choice.name)
          : offered,
    mustUseTool: tool_choice?.type === 'any' || tool_choice?.type === 'tool',
  };
}

/** All that a model would read, to count it. */
export function textOfRequest({ messages, tools }: LanguageModelRequest): string {
  const parts = messages.flatMap(({ parts }) => parts.map(textOfPart));
  return [...parts, ...tools.map((tool) => JSON.stringify(tool))].join('\n');
}

function textOfPart(part: ModelPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'image':
      return '';
    case 'toolUse':
      return `${part.name} ${JSON.stringify(part.input)}`;
    case 'toolResult':
      return part.parts.map(textOfPart).join('\n');
  }
}

function partsOf(block: Block): ModelPart[] {
  const { type, id = '', name = '', input = {}, tool_use_id = '' } = block;
  switch (type) {
    case 'tool_use':
      return [{ kind: 'toolUse', id, name, input }];
    case 'tool_result': {
      const inner =
        typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : block.content;
      const parsed = blocks.safeParse(inner ?? []);
      const parts = (parsed.success ? parsed.data : []).flatMap(shownOf);
      const failed = block.is_error === true ? [{ kind: 'text', text: 'The tool failed:' } as const] : [];
      return [{ kind: 'toolResult', id: tool_use_id, parts: [...failed, ...parts] }];
    }
    default:
      return shownOf(block);
  }
}

/** What has been thought is of use to the model alone that has thought it, and is left out. */
function shownOf({ type, text = '', source }: Block): ({ kind: 'text'; text: string } | ModelImage)[] {
  if (type === 'text') {
    return text === '' ? [] : [{ kind: 'text', text }];
  }
  if (type === 'image' && source?.type === 'base64') {
    const { media_type: mimeType = 'image/png', data = '' } = source;
    return [{ kind: 'image', mimeType, data: Buffer.from(data, 'base64') }];
  }
  return type === 'image' || type === 'document' ? [{ kind: 'text', text: `[${type} left out]` }] : [];
}

function plainText(content: string | readonly Block[]): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}
