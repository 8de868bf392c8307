import * as vscode from 'vscode';
import { tokenOf } from '../editor/cancellation.ts';
import type { ToolResult } from '../protocol/mcp.ts';
import { text, toolError } from '../tools/tool.ts';
import { maxText, shownText } from './answers.ts';
import { wordsOf } from './errorWords.ts';
import type { InputSchema as InputSchemaType } from './inputSchema.ts';

/** A tool that an extension has for the editor's own chat. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly schema: { readonly type: 'object'; readonly [key: string]: unknown };
  /** What is wrong with an input, which the editor does not check; undefined if nothing is. */
  problem(input: unknown): Promise<string | undefined>;
  /** @param invocation of the request in the chat that it is called for; asks there what it has to ask */
  invoke(
    input: object,
    signal: AbortSignal,
    invocation?: vscode.ChatParticipantToolToken,
  ): Promise<ToolResult>;
}

/** Those of these names that are there. */
export function chatTools(names: readonly string[]): ChatTool[] {
  const { lm } = vscode as Partial<typeof vscode>;
  if (names.length === 0 || typeof lm?.invokeTool !== 'function') {
    return []; // an editor without a chat
  }
  return lm.tools.filter(({ name }) => names.includes(name) && /^[\w-]{1,61}$/.test(name)).map(toolOf);
}

function toolOf({ name, description, inputSchema }: vscode.LanguageModelToolInformation): ChatTool {
  const schema = { properties: {}, ...inputSchema, type: 'object' } as const;
  return {
    name,
    description: shownText(description),
    schema,
    async problem(input) {
      const { InputSchema } = await import('./inputSchema.ts');
      let known: InputSchemaType;
      try {
        known = InputSchema.of(schema);
      } catch {
        return undefined; // of another draft, for instance: it is called all the same, as it is in the editor
      }
      return known.problem(input);
    },
    invoke: (input, signal, invocation) => invoke(name, input, signal, invocation),
  };
}

async function invoke(
  name: string,
  input: object,
  signal: AbortSignal,
  toolInvocationToken: vscode.LanguageModelToolInvocationOptions<object>['toolInvocationToken'],
): Promise<ToolResult> {
  const cancellation = tokenOf(signal);
  try {
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken }, cancellation.token);
    const parts = content.map((part) =>
      part instanceof vscode.LanguageModelTextPart ? part.value : '(a part that is no text)',
    );
    return text(shownText(parts.join('\n'), maxText));
  } catch (error) {
    return toolError(wordsOf(error));
  } finally {
    cancellation.dispose();
  }
}
