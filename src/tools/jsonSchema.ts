import { type $ZodObject, toJSONSchema } from 'zod/v4/core';

/** Of what a tool takes. In a module of its own: nobody needs it before a client asks for the tools. */
export function jsonSchemaOf(input: $ZodObject): object {
  return toJSONSchema(input, { target: 'draft-7', io: 'input' });
}
