import * as z from 'zod/mini';
import { lenient } from '../records/lenient.ts';

/**
 * What the CLI prints with `--output-format stream-json`, one message per line; seen of 1.0.128, 2.0.77 and 2.1.330.
 * Fields that only some versions have are optional; unknown fields and types are let through.
 */
const record = z.record(z.string(), z.unknown());

const block = z.object({
  type: z.string(),
  text: lenient(z.string()),
  thinking: lenient(z.string()),
  id: lenient(z.string()),
  name: lenient(z.string()),
  input: lenient(record),
  tool_use_id: lenient(z.string()),
  is_error: lenient(z.boolean()),
  content: lenient(z.unknown()),
});
export type ContentBlock = z.infer<typeof block>;

const count = lenient(z.number());
const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
});

/** Of a sub-agent: the tool use that has started it; null of the session itself. */
const parent = { parent_tool_use_id: lenient(z.nullable(z.string())) };

const assistant = z.object({
  type: z.literal('assistant'),
  ...parent,
  message: z.object({
    id: lenient(z.string()),
    model: lenient(z.string()),
    content: z.array(block),
    usage: lenient(usage),
  }),
});

const user = z.object({
  type: z.literal('user'),
  ...parent,
  isReplay: lenient(z.boolean()),
  message: z.object({ content: z.union([z.string(), z.array(block)]) }),
});

const streamEvent = z.object({
  type: z.literal('stream_event'),
  ...parent,
  event: z.object({
    type: z.string(),
    index: lenient(z.number()),
    message: lenient(z.object({ id: lenient(z.string()) })),
    content_block: lenient(block),
    delta: lenient(
      z.object({
        text: lenient(z.string()),
        thinking: lenient(z.string()),
        partial_json: lenient(z.string()),
      }),
    ),
  }),
});

const result = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: lenient(z.boolean()),
  /** ms */
  duration_ms: count,
  result: lenient(z.string()),
  errors: lenient(z.array(z.string())),
  /** Of the whole session so far. */
  total_cost_usd: count,
  usage: lenient(usage),
  modelUsage: lenient(z.record(z.string(), z.object({ contextWindow: count, maxOutputTokens: count }))),
});

const init = z.object({
  type: z.literal('system'),
  subtype: z.literal('init'),
  session_id: z.string(),
  cwd: lenient(z.string()),
  model: lenient(z.string()),
  permissionMode: lenient(z.string()),
  tools: lenient(z.array(z.string())),
  slash_commands: lenient(z.array(z.string())),
  mcp_servers: lenient(z.array(z.object({ name: z.string(), status: z.string() }))),
  claude_code_version: lenient(z.string()),
});

/** Seen of 2.1.330 for a connection that was refused (null, "unknown") and for 529 ("overloaded"); older ones print nothing. */
const apiRetry = z.object({
  type: z.literal('system'),
  subtype: z.literal('api_retry'),
  attempt: z.number(),
  max_retries: z.number(),
  /** ms */
  retry_delay_ms: z.number(),
  error_status: lenient(z.nullable(z.number())),
  error: lenient(z.string()),
});

/** Seen of 2.1.330 with no room on the disk, as late as when its input was closed; 2.0 ends with an error. */
const writesLost = z.object({
  type: z.literal('system'),
  subtype: z.literal('session_writes_lost'),
  /** Seen: `transcript`. */
  lost: z.array(z.string()),
  /** Of the system, such as ENOSPC. */
  error_code: lenient(z.string()),
});

const system = z.object({
  type: z.literal('system'),
  subtype: z.string(),
  permissionMode: lenient(z.string()),
});

const controlRequest = z.object({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});

const controlResponse = z.object({
  type: z.literal('control_response'),
  response: z.object({
    request_id: z.string(),
    subtype: z.string(),
    response: lenient(z.unknown()),
    error: lenient(z.string()),
    error_code: lenient(z.string()),
  }),
});

const controlCancel = z.object({ type: z.literal('control_cancel_request'), request_id: z.string() });

const typed = z.object({ type: z.string() });

/** By `type`; a union that looks for the right one by itself would be loaded at the start of the extension, too. */
const messages = {
  assistant,
  user,
  stream_event: streamEvent,
  result,
  control_request: controlRequest,
  control_response: controlResponse,
  control_cancel_request: controlCancel,
  system: z.union([init, apiRetry, writesLost, system]),
};

export type CliMessage = z.infer<(typeof messages)[keyof typeof messages]>;
export type AssistantMessage = z.infer<typeof assistant>;
export type UserMessage = z.infer<typeof user>;
export type StreamEventMessage = z.infer<typeof streamEvent>;
export type ResultMessage = z.infer<typeof result>;
export type SystemMessage = z.infer<typeof init | typeof apiRetry | typeof writesLost | typeof system>;
export type ControlRequest = z.infer<typeof controlRequest>;
export type ControlResponse = z.infer<typeof controlResponse>;

/** Undefined for a type that is not known here, and for one that is not as it was seen to be. */
export function parseMessage(json: unknown): CliMessage | undefined {
  const { type } = typed.safeParse(json).data ?? {};
  return type !== undefined && Object.hasOwn(messages, type)
    ? messages[type as keyof typeof messages].safeParse(json).data
    : undefined;
}

/** What the CLI asks before it uses a tool (`can_use_tool`). */
const canUseTool = z.object({
  tool_name: z.string(),
  input: record,
  tool_use_id: lenient(z.string()), // not of 1.0
  description: lenient(z.string()),
  permission_suggestions: lenient(z.array(record)),
  decision_reason: lenient(z.string()),
  /** What has the CLI ask, such as `rule`, `hook` or `mode`; 2.1, and undefined where only nothing allows it. */
  decision_reason_type: lenient(z.string()),
  blocked_path: lenient(z.string()),
  /** Of a sub-agent; 2.1. */
  agent_id: lenient(z.string()),
  /** `dynamic`: of `--mcp-config`; 2.1. */
  mcp_server: lenient(z.object({ source: z.string() })),
});
export type CanUseTool = z.infer<typeof canUseTool>;

export function parseCanUseTool(request: unknown): CanUseTool | undefined {
  return canUseTool.safeParse(request).data;
}

const hookCallback = z.object({
  callback_id: z.string(),
  input: record,
  tool_use_id: lenient(z.string()),
});
export type HookCallback = z.infer<typeof hookCallback>;

export function parseHookCallback(request: unknown): HookCallback | undefined {
  return hookCallback.safeParse(request).data;
}

const mcpMessage = z.object({ server_name: z.string(), message: record });
export type McpMessage = z.infer<typeof mcpMessage>;

export function parseMcpMessage(request: unknown): McpMessage | undefined {
  return mcpMessage.safeParse(request).data;
}

const model = z.object({
  value: z.string(),
  displayName: lenient(z.string()),
  description: lenient(z.string()),
  resolvedModel: lenient(z.string()),
});
export type CliModel = z.infer<typeof model>;

const named = z.object({
  name: z.string(),
  description: lenient(z.string()),
  argumentHint: lenient(z.string()),
});
export type CliCommand = z.infer<typeof named>;

/** The answer to `initialize`. */
const initialized = z.object({
  commands: z.catch(z.array(named), []),
  agents: z.catch(z.array(named), []), // not of 1.0 and 2.0
  models: z.catch(z.array(model), []),
  claude_code_version: lenient(z.string()),
});
export type Initialized = z.infer<typeof initialized>;

export function parseInitialized(response: unknown): Initialized {
  return initialized.safeParse(response).data ?? { commands: [], agents: [], models: [] };
}

/** 2.1. As files say it: neither what the process was started with nor its environment is in it. */
const settings = z.object({
  effective: z.object({ model: lenient(z.string()), env: lenient(z.record(z.string(), z.string())) }),
});

/** @param env of its process @returns the model that the user has set by means of the CLI, as `--model` takes it */
export function parseSettingsModel(
  response: unknown,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { model, env: theirs } = settings.safeParse(response).data?.effective ?? {};
  return [theirs?.['ANTHROPIC_MODEL'], env['ANTHROPIC_MODEL'], model].find(Boolean);
}
