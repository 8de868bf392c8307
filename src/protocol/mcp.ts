import * as z from 'zod/mini';

/** The MCP revisions that we speak, oldest first. The CLIs seen so far offer one of the last two. */
const protocolVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** The offered version if we know it, else our newest (MCP, "Version Negotiation"). */
export function negotiateVersion(offered: string): string {
  return protocolVersions.find((known) => known === offered) ?? '2025-11-25';
}

export const initializeParams = z.object({
  protocolVersion: z.string(),
  clientInfo: z.optional(z.object({ name: z.string(), version: z.string() })),
});

export const callToolParams = z.object({
  name: z.string(),
  arguments: z.optional(z.record(z.string(), z.unknown())),
  _meta: z.optional(
    z.looseObject({
      /** Present when the model made the call, absent when the CLI itself did (seen on 2.1.330 and 2.0.77). */
      'claudecode/toolUseId': z.optional(z.string()),
      /** Of a client that wants `notifications/progress`. */
      progressToken: z.catch(z.optional(z.union([z.string(), z.number()])), undefined),
    }),
  ),
});

export const cancelledParams = z.object({ requestId: z.union([z.string(), z.number()]) });

export type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

export interface ToolResult {
  content: Content[];
  /** The same as data, for a tool that says by `outputSchema` what it gives. */
  structuredContent?: object;
  isError?: boolean;
}

export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: object;
  outputSchema?: object;
  annotations?: ToolAnnotations;
}

/** What a client may want to know before it lets a model call a tool (MCP 2025-03-26 and newer). */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  /** False where nothing is lost by it. */
  readonly destructiveHint?: boolean;
  /** False where the tool looks at nothing but this editor. */
  readonly openWorldHint?: boolean;
}
