import { setting } from '../editor/settings.ts';
import { ErrorCode, JsonRpcError } from '../protocol/jsonRpc.ts';
import { type ChatTool, chatTools } from './chatTools.ts';
import type { ToolOfOthers } from './toolsOfOthers.ts';

/** Of their names, as clients see them: ours have no underscore. */
export const chatPrefix = 'lm_';

/** Those that extensions have for the editor's own chat, of the names that the user has set. */
export function languageModelTools(): ToolOfOthers[] {
  return chatTools(setting('editorTools.languageModelTools')).map(toolOf);
}

function toolOf(tool: ChatTool): ToolOfOthers {
  const { name, description, schema } = tool;
  const full = chatPrefix + name;
  return {
    definition: {
      name: full,
      description,
      inputSchema: schema,
      annotations: { title: name, readOnlyHint: false },
    },
    group: 'selected',
    async check(args) {
      const problem = await tool.problem(args);
      if (problem !== undefined) {
        throw new JsonRpcError(ErrorCode.InvalidParams, `Invalid arguments for tool ${full}: ${problem}`);
      }
    },
    async run(args, { signal }) {
      return tool.invoke(args as object, signal);
    },
  };
}
