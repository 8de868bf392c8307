import * as z from 'zod/mini';
import type { Tool, ToolCall as HandlerCall } from '../../api/ideBridge.d.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { printable } from '../base/printable.ts';
import { tokenOf } from '../editor/cancellation.ts';
import { clientName } from '../editorTools/clientName.ts';
import { wordsOf } from '../editorTools/errorWords.ts';
import { keepTelling } from '../editorTools/keepTelling.ts';
import type { InputSchema } from '../editorTools/inputSchema.ts';
import type { ToolOfOthers, ToolsOfOthers } from '../editorTools/toolsOfOthers.ts';
import { ErrorCode, JsonRpcError } from '../protocol/jsonRpc.ts';
import type { ToolResult } from '../protocol/mcp.ts';
import type { ToolCall } from '../server/session.ts';
import { toolError } from '../tools/tool.ts';
import { ApiError, checked } from './apiError.ts';
import type { Caller } from './apis.ts';
import { words } from './arguments.ts';
import { resultOf } from './toolResult.ts';

/** Of the whole name, as clients see it: some put their own words before it, and models take 128 characters at most. */
const maxName = 64;

const toolInput = z.object({
  name: z
    .string()
    .check(z.regex(/^[a-zA-Z][a-zA-Z0-9_-]*$/, 'has to begin with a letter, and have a-z A-Z 0-9 _ - only')),
  title: words(100),
  description: words(4_000, 'lines'),
  inputSchema: z.unknown(),
  group: z.enum(['reading', 'editing', 'running']),
  annotations: z.optional(
    z.object({ destructiveHint: z.optional(z.boolean()), openWorldHint: z.optional(z.boolean()) }),
  ),
  handler: z.custom<Tool['handler']>((value) => typeof value === 'function', {
    error: 'expected a function',
  }),
});
type Asked = z.infer<typeof toolInput>;

/** See `IdeBridgeApi`. @throws ApiError `InvalidArgument` */
export async function registerTool(
  tools: ToolsOfOthers,
  caller: Caller,
  input: unknown,
  log: Logger,
): Promise<Disposable> {
  const asked = checked('A tool', toolInput, input);
  const name = fullName(caller, asked.name);
  const schema = await schemaOf(asked.inputSchema);
  if (tools.has(name)) {
    throw new ApiError('InvalidArgument', `A tool: ${asked.name} is registered already.`);
  }
  const end = new AbortController();
  const registration = tools.add(toolOf(name, asked, schema, end.signal, log));
  log.info(`${caller.name} offers the tool ${name}.`);
  return toDisposable(() => {
    registration.dispose();
    end.abort();
  });
}

/** Ours have no underscore, so that none of another is taken for one of them. */
function fullName({ id }: Caller, name: string): string {
  const full = `${id.replaceAll(/[^a-z0-9-]/g, '_')}_${name}`;
  if (full.length > maxName) {
    const most = maxName - (full.length - name.length);
    throw new ApiError(
      'InvalidArgument',
      `A tool: ${printable(name)} is too long. Behind the id of your extension there is room for ${most} characters.`,
    );
  }
  return full;
}

/** @param end aborted when the tool is taken back */
function toolOf(
  name: string,
  asked: Asked,
  schema: InputSchema,
  end: AbortSignal,
  log: Logger,
): ToolOfOthers {
  const { title, description, group, handler } = asked;
  const { destructiveHint, openWorldHint } = asked.annotations ?? {};
  return {
    definition: {
      name,
      description,
      inputSchema: schema.json,
      annotations: {
        title,
        readOnlyHint: group === 'reading',
        ...(group !== 'reading' && destructiveHint !== undefined && { destructiveHint }),
        ...(openWorldHint !== undefined && { openWorldHint }),
      },
    },
    group,
    async check(args) {
      const problem = schema.problem(args);
      if (problem !== undefined) {
        throw new JsonRpcError(ErrorCode.InvalidParams, `Invalid arguments for tool ${name}: ${problem}`);
      }
    },
    async run(args, call) {
      try {
        return await result(handler, args, call, end);
      } catch (error) {
        if (!call.signal.aborted) {
          log.warn(`${name} failed.`); // not why: it may quote a file
        }
        return toolError(end.aborted ? `${name} was taken back by its extension.` : wordsOf(error));
      }
    },
  };
}

/** @throws ApiError `InvalidArgument` */
async function schemaOf(given: unknown): Promise<InputSchema> {
  const { InputSchema } = await import('../editorTools/inputSchema.ts');
  try {
    return InputSchema.of(given);
  } catch (error) {
    throw new ApiError('InvalidArgument', `inputSchema: ${printable(errorMessage(error), 500)}`);
  }
}

/** @throws what the handler throws, and when it is cancelled: nobody waits for one that does not end then */
async function result(
  handler: Tool['handler'],
  args: unknown,
  { session, signal, tellProgress }: ToolCall,
  end: AbortSignal,
): Promise<ToolResult> {
  const either = AbortSignal.any([signal, end]);
  either.throwIfAborted(); // while the user was asked
  const cancellation = tokenOf(either);
  const telling = keepTelling(tellProgress);
  const cancelled = new Promise<never>((_, reject) => {
    either.addEventListener('abort', () => reject(new Error('Cancelled')), { once: true });
  });
  const call: HandlerCall = Object.freeze({
    token: cancellation.token,
    client: clientName(session),
  });
  try {
    const run = async () => handler(args as Record<string, unknown>, call);
    return resultOf(await Promise.race([run(), cancelled]));
  } finally {
    telling.dispose();
    cancellation.dispose();
  }
}
