import * as z from 'zod/mini';

const image = z.object({ type: z.literal('image'), source: z.object({ data: z.string() }) });
const result = z.object({ type: z.literal('tool_result'), content: z.unknown() });

/** @returns what a message has as images, in base64, also within the results of tools */
export function imagesIn(content: unknown): string[] {
  return Array.isArray(content)
    ? content.flatMap((block) => {
        const { source } = image.safeParse(block).data ?? {};
        return source ? [source.data] : imagesIn(result.safeParse(block).data?.content);
      })
    : [];
}
