import type * as vscode from 'vscode';
import type { InProcessServer } from '../agent/agentSession.ts';
import { type HostTool, HostTools } from '../agent/hostTools.ts';
import { setting } from '../editor/settings.ts';
import { type ChatTool, chatTools } from '../editorTools/chatTools.ts';
import type { Sharing } from '../sharing/sharing.ts';
import { toolError } from '../tools/tool.ts';

/**
 * The tools that extensions have for the editor's own chat, of the names that the user has set, for one thread. The CLI
 * asks before it calls one, as for every MCP server.
 * @param invocation of the request that the thread answers now
 */
export function toolsOfExtensions(
  sharing: Pick<Sharing, 'refusal'>,
  invocation: () => vscode.ChatParticipantToolToken | undefined,
): InProcessServer {
  const hostTool = (tool: ChatTool): HostTool => ({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.schema,
    async call(input, signal) {
      const { refusal } = sharing;
      if (refusal !== undefined) {
        return toolError(refusal);
      }
      const problem = await tool.problem(input);
      return problem === undefined
        ? tool.invoke(input, signal, invocation())
        : toolError(`Invalid arguments for ${tool.name}: ${problem}`);
    },
  });
  return new HostTools(() => chatTools(setting('agent.languageModelTools')).map(hostTool));
}
