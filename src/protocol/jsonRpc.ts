import en from 'zod/v4/locales/en.js';
import * as z from 'zod/mini';

// The small zod has no texts of its own for what is wrong with a message.
z.config(en());

/** JSON-RPC 2.0 error codes; https://www.jsonrpc.org/specification#error_object */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
} as const;

/** MCP allows strings and numbers, not null. 0 is a real id: the CLI's first request has it. */
const requestId = z.union([z.string(), z.number()]);
export type RequestId = z.infer<typeof requestId>;

const version = z.literal('2.0');
const params = z.optional(z.record(z.string(), z.unknown()));

const request = z.object({ jsonrpc: version, id: requestId, method: z.string(), params });
const notification = z.object({
  jsonrpc: version,
  id: z.optional(z.undefined()),
  method: z.string(),
  params,
});
const response = z.object({
  jsonrpc: version,
  id: requestId,
  method: z.optional(z.undefined()),
  result: z.optional(z.unknown()),
  error: z.optional(z.unknown()),
});

export type Params = Record<string, unknown>;
export type JsonRpcRequest = z.infer<typeof request>;
export type JsonRpcNotification = z.infer<typeof notification>;
export type JsonRpcResponse =
  | { jsonrpc: '2.0'; id: RequestId; result: unknown }
  | { jsonrpc: '2.0'; id: RequestId | null; error: { code: number; message: string; data?: unknown } };

export type Incoming =
  | { kind: 'request'; message: JsonRpcRequest }
  | { kind: 'notification'; message: JsonRpcNotification }
  | { kind: 'response'; id: RequestId }
  | { kind: 'invalid'; answer: JsonRpcResponse };

/** Thrown by a request handler to answer with a JSON-RPC error. */
export class JsonRpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = 'JsonRpcError';
  }
}

export function failure(
  id: RequestId | null,
  code: number,
  message: string,
  data?: unknown,
): JsonRpcResponse {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** Sorts one decoded JSON value into request, notification or response. Never throws. */
export function classify(value: unknown): Incoming {
  const asRequest = request.safeParse(value);
  if (asRequest.success) {
    return { kind: 'request', message: asRequest.data };
  }
  const asNotification = notification.safeParse(value);
  if (asNotification.success) {
    return { kind: 'notification', message: asNotification.data };
  }
  const asResponse = response.safeParse(value);
  if (asResponse.success) {
    return { kind: 'response', id: asResponse.data.id };
  }
  const id = z.object({ id: requestId }).safeParse(value);
  return {
    kind: 'invalid',
    answer: failure(
      id.success ? id.data.id : null,
      ErrorCode.InvalidRequest,
      'Not a JSON-RPC 2.0 request: it needs "jsonrpc": "2.0", a string "method" and, if any, an object "params".',
    ),
  };
}
