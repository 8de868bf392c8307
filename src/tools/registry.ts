import * as z from 'zod/mini';
import { $ZodError } from 'zod/v4/core'; // z.core would bring all of zod into the bundle
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { printable } from '../base/printable.ts';
import { ErrorCode, JsonRpcError } from '../protocol/jsonRpc.ts';
import type { ToolDefinition, ToolResult } from '../protocol/mcp.ts';
import type { ToolCall, ToolHost } from '../server/session.ts';
import { type Tool, toolError } from './tool.ts';

/** Finds tools by name, and turns what goes wrong in them into answers. */
export class ToolRegistry implements ToolHost {
  private readonly tools = new Map<string, Tool>();

  /** @param disabled names of tools that clients neither see nor may call */
  constructor(
    tools: readonly Tool[],
    private readonly log: Logger,
    private readonly disabled: () => readonly string[] = () => [],
  ) {
    this.add(tools);
  }

  /** Behind the others, in the order of tools/list. */
  add(tools: readonly Tool[]): void {
    tools.forEach((tool) => this.tools.set(tool.name, tool));
  }

  async list(): Promise<ToolDefinition[]> {
    const { definitionOf } = await import('./jsonSchema.ts');
    const disabled = this.disabled();
    return [...this.tools.values()].filter(({ name }) => !disabled.includes(name)).map(definitionOf);
  }

  async call(name: string, args: unknown, call: ToolCall): Promise<ToolResult> {
    const tool = this.tools.get(name);
    if (!tool) {
      throw new JsonRpcError(ErrorCode.InvalidParams, `Tool ${printable(name)} not found`);
    }
    if (this.disabled().includes(name)) {
      throw new JsonRpcError(ErrorCode.InvalidParams, `Tool ${name} is turned off in the editor's settings`);
    }
    try {
      return await tool.run(args, call);
    } catch (error) {
      if (error instanceof $ZodError) {
        const message = `Invalid arguments for tool ${name}: ${z.prettifyError(error)}`;
        throw new JsonRpcError(ErrorCode.InvalidParams, message, error.issues);
      }
      this.log.error(`${name} failed: ${errorMessage(error)}`);
      return toolError(errorMessage(error));
    }
  }
}
