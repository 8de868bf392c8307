import { type $ZodObject, toJSONSchema } from 'zod/v4/core';
import type { ToolDefinition } from '../protocol/mcp.ts';
import type { Tool } from './tool.ts';

/** A tool as clients are told of it. In a module of its own: nobody needs it before a client asks for the tools. */
export function definitionOf({ name, description, input, output, annotations }: Tool): ToolDefinition {
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(input),
    ...(output && { outputSchema: jsonSchemaOf(output) }),
    ...(annotations && { annotations }),
  };
}

function jsonSchemaOf(schema: $ZodObject): object {
  return toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}
