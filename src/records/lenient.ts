import * as z from 'zod/mini';

/** A field that another version of the CLI may write otherwise, or leave out: what is around it counts all the same. */
export function lenient<T extends z.ZodMiniType>(schema: T) {
  return z.catch(z.optional(schema), undefined);
}
