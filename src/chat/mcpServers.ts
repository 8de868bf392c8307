import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { ControlError } from '../agent/control.ts';
import { errorMessage } from '../base/errors.ts';
import { counted } from '../base/text.ts';
import { printable } from '../base/printable.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import { lenient } from '../records/lenient.ts';
import type { ChatThread } from './chatThread.ts';

/** The answer to `mcp_status`; 1.0 and 2.0 tell name and status alone. */
const answer = z.object({
  mcpServers: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      error: lenient(z.string()),
      tools: lenient(z.array(z.unknown())),
    }),
  ),
});
type McpServer = z.infer<typeof answer>['mcpServers'][number];

const states: Readonly<Record<string, { readonly icon: string; readonly words: string }>> = {
  connected: { icon: 'pass', words: 'connected' },
  failed: { icon: 'error', words: 'not connected: Enter tries again' },
  'needs-auth': { icon: 'key', words: 'wants a login: /mcp in a terminal' },
  pending: { icon: 'loading~spin', words: 'connecting' },
  disabled: { icon: 'circle-slash', words: 'switched off' },
};

/** Shows which MCP servers the CLI of a conversation has, and has it connect again to those that have failed. */
export async function showMcpServers(thread: Pick<ChatThread, 'request'> | undefined): Promise<void> {
  for (;;) {
    const servers = await serversOf(thread);
    const picked =
      servers &&
      (await vscode.window.showQuickPick(servers.map(itemOf), {
        title: 'MCP Servers of Claude in the Chat',
        placeHolder: servers.length === 0 ? 'It has none' : 'Of the conversation that was used last',
      }));
    if (picked?.server.status !== 'failed') {
      return;
    }
    // Why it could not, the list says.
    await thread?.request('mcp_reconnect', { serverName: picked.server.name }).catch(() => {});
  }
}

async function serversOf(thread: Pick<ChatThread, 'request'> | undefined): Promise<McpServer[] | undefined> {
  try {
    return answer.parse(await thread?.request('mcp_status')).mcpServers;
  } catch (error) {
    void vscode.window.showInformationMessage(
      thread === undefined || (error instanceof ControlError && error.kind === 'ended')
        ? 'Claude Code tells of its MCP servers while it runs: send it a message in the chat first.'
        : `Claude Code does not tell of its MCP servers: ${printable(errorMessage(error), 300)}`,
    );
    return undefined;
  }
}

function itemOf(server: McpServer) {
  const { status, tools, error } = server;
  const state = Object.hasOwn(states, status) ? states[status] : undefined;
  const { icon, words } = state ?? { icon: 'question', words: printable(status, 40) };
  const count = status === 'connected' && tools ? ` · ${counted(tools.length, 'tool')}` : '';
  return {
    label: `$(${icon}) ${withoutIcons(printable(server.name, 60))}`,
    description: `${words}${count}`,
    detail: withoutIcons(printable(error ?? '', 300)),
    server,
  };
}
