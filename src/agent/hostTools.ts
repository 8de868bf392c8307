import { errorMessage } from '../base/errors.ts';
import { classify, ErrorCode, failure, type JsonRpcResponse, type RequestId } from '../protocol/jsonRpc.ts';
import {
  callToolParams,
  cancelledParams,
  initializeParams,
  negotiateVersion,
  type ToolResult,
} from '../protocol/mcp.ts';
import { toolError } from '../tools/tool.ts';
import type { InProcessServer } from './agentSession.ts';

/** A tool of the editor, or of another extension in it. */
export interface HostTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema?: object;
  /** What it throws is told to the model. */
  call(input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolResult>;
}

/** The Messages API takes no others; the CLI puts `mcp__<server>__` before it. */
const maxName = 40;

/** Tools of this process as an MCP server, which the CLI talks to over its own pipe. */
export class HostTools implements InProcessServer {
  private readonly running = new Map<RequestId, AbortController>();

  /** @param tools asked for each time: which there are may change */
  constructor(private readonly tools: () => readonly HostTool[]) {}

  async handle(
    json: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<JsonRpcResponse | object> {
    const incoming = classify(json);
    if (incoming.kind === 'invalid') {
      return incoming.answer;
    }
    if (incoming.kind === 'response') {
      return {};
    }
    const { method, params = {} } = incoming.message;
    if (incoming.kind === 'notification') {
      if (method === 'notifications/cancelled') {
        const { data } = cancelledParams.safeParse(params);
        this.running.get(data?.requestId ?? '')?.abort();
      }
      return { jsonrpc: '2.0', result: {} }; // the CLI wants an answer to these, too
    }
    const { id } = incoming.message;
    const answer = (result: object): JsonRpcResponse => ({ jsonrpc: '2.0', id, result });
    switch (method) {
      case 'initialize':
        return answer({
          protocolVersion: negotiateVersion(initializeParams.safeParse(params).data?.protocolVersion ?? ''),
          capabilities: { tools: {} },
          serverInfo: { name: 'ide-bridge', version: '1' },
        });
      case 'ping':
        return answer({});
      case 'tools/list':
        return answer({
          tools: [...this.named()].map(([name, { description, inputSchema = { type: 'object' } }]) => ({
            name,
            description,
            inputSchema,
          })),
        });
      case 'tools/call':
        return this.call(id, params, signal);
      default:
        return failure(id, ErrorCode.MethodNotFound, `There is no method "${method}".`);
    }
  }

  private async call(id: RequestId, params: object, signal: AbortSignal): Promise<JsonRpcResponse> {
    const { data } = callToolParams.safeParse(params);
    const tool = data && this.named().get(data.name);
    if (!tool) {
      return failure(id, ErrorCode.InvalidParams, `There is no tool "${data?.name ?? ''}".`);
    }
    const abort = new AbortController();
    this.running.set(id, abort);
    try {
      const either = AbortSignal.any([abort.signal, signal]);
      return { jsonrpc: '2.0', id, result: await tool.call(data.arguments ?? {}, either) };
    } catch (error) {
      return { jsonrpc: '2.0', id, result: toolError(`${tool.name} failed: ${errorMessage(error)}`) };
    } finally {
      // A next process counts its calls from the beginning.
      if (this.running.get(id) === abort) {
        this.running.delete(id);
      }
    }
  }

  /** By names that the model can use, each of them once. */
  private named(): Map<string, HostTool> {
    const result = new Map<string, HostTool>();
    for (const tool of this.tools()) {
      const plain = tool.name.replace(/[^\w-]/g, '_').slice(0, maxName) || 'tool';
      let name = plain;
      for (let count = 2; result.has(name); count++) {
        name = `${plain.slice(0, maxName - 4)}_${count}`;
      }
      result.set(name, tool);
    }
    return result;
  }
}
