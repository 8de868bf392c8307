import * as z from 'zod/mini';

/** A `Place` in `structuredContent`. */
export const place = {
  path: z.string(),
  line: z.int(),
  column: z.int(),
  text: z.optional(z.string()),
};

export const placeOutput = z.object(place);
