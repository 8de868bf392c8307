import { commandLine } from '../editor/commandLine.ts';

/** As most clients name it: their lists of servers are all called the same. */
function servers(editor: object): string {
  return JSON.stringify({ mcpServers: { editor } }, undefined, 2);
}

/**
 * For clients that start a program. It has no token: the program reads that when it runs.
 * @param folder of the window; absent: the program goes by the folder in which the client starts it
 */
export function stdioConfiguration(program: string, folder?: string): string {
  return servers(stdioServer(program, folder));
}

/** For port and token as they are now. */
export function httpConfiguration(port: number, token: string): string {
  return servers({
    type: 'http',
    url: `http://127.0.0.1:${port}/editor`,
    headers: { Authorization: `Bearer ${token}` },
  });
}

/** For a terminal: every session of Claude Code has the tools of the window of its folder from then on. */
export function claudeCommand(
  command: string,
  program: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const { command: node, args, env } = stdioServer(program);
  // Not as JSON: of its quotes PowerShell leaves none.
  const variables = env ? ['--env', `CLAUDE_CONFIG_DIR=${env.CLAUDE_CONFIG_DIR}`] : [];
  const words = ['mcp', 'add', ...variables, '--scope', 'user', 'editor', node, ...args];
  return commandLine(command, words, platform);
}

function stdioServer(program: string, folder?: string) {
  const { CLAUDE_CONFIG_DIR } = process.env;
  return {
    command: 'node',
    args: [program, ...(folder === undefined ? [] : ['--folder', folder])],
    // Where this window's lock file is: most clients give a program little of their own environment.
    ...(CLAUDE_CONFIG_DIR && { env: { CLAUDE_CONFIG_DIR } }),
  };
}
