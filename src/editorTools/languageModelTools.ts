import * as vscode from 'vscode';
import { tokenOf } from '../editor/cancellation.ts';
import { setting } from '../editor/settings.ts';
import { ErrorCode, JsonRpcError } from '../protocol/jsonRpc.ts';
import type { ToolResult } from '../protocol/mcp.ts';
import type { ToolCall } from '../server/session.ts';
import { text, toolError } from '../tools/tool.ts';
import { maxText, shownText } from './answers.ts';
import { wordsOf } from './errorWords.ts';
import type { ToolOfOthers } from './toolsOfOthers.ts';

/** Of their names, as clients see them: ours have no underscore. */
export const chatPrefix = 'lm_';

/** Those that extensions have for the editor's own chat, of the names that the user has set. */
export function languageModelTools(): ToolOfOthers[] {
  const { lm } = vscode as Partial<typeof vscode>;
  if (typeof lm?.invokeTool !== 'function') {
    return []; // an editor without a chat
  }
  const names = setting('editorTools.languageModelTools');
  return names.length === 0
    ? []
    : lm.tools.filter(({ name }) => names.includes(name) && /^[\w-]{1,61}$/.test(name)).map(toolOf);
}

function toolOf({ name, description, inputSchema }: vscode.LanguageModelToolInformation): ToolOfOthers {
  const full = chatPrefix + name;
  const schema = { properties: {}, ...inputSchema, type: 'object' };
  return {
    definition: {
      name: full,
      description: shownText(description),
      inputSchema: schema,
      annotations: { title: name, readOnlyHint: false },
    },
    group: 'selected',
    async run(args, call) {
      const { InputSchema } = await import('./inputSchema.ts'); // the editor does not check it
      const problem = InputSchema.of(schema).problem(args);
      if (problem !== undefined) {
        throw new JsonRpcError(ErrorCode.InvalidParams, `Invalid arguments for tool ${full}: ${problem}`);
      }
      return invoke(name, args as object, call);
    },
  };
}

async function invoke(name: string, input: object, { signal }: ToolCall): Promise<ToolResult> {
  const cancellation = tokenOf(signal);
  try {
    const { content } = await vscode.lm.invokeTool(
      name,
      { input, toolInvocationToken: undefined },
      cancellation.token,
    );
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
