import type * as vscode from 'vscode';

const loopbackHosts = '127.0.0.1,localhost,::1';

/**
 * What makes a CLI in an integrated terminal find this window: its port, and no proxy on the way. (The CLI's
 * HTTP library honours proxies even for loopback.) Every new terminal gets it; the values change seldom, because
 * each change marks the open terminals as outdated.
 * @returns whether terminals opened until now may have another port
 */
export function injectEnvironment(
  collection: vscode.GlobalEnvironmentVariableCollection,
  port: number,
): boolean {
  const before = collection.get('CLAUDE_CODE_SSE_PORT')?.value;
  collection.description = 'Lets the Claude Code CLI find this window.';
  for (const [name, value] of Object.entries(connectionEnvironment(port))) {
    collection.replace(name, value);
  }
  // On Windows the two are one variable. `*` means everything, but only if it stands alone.
  const names = process.platform === 'win32' ? ['NO_PROXY'] : ['NO_PROXY', 'no_proxy'];
  for (const name of names.filter((candidate) => process.env[candidate] !== '*')) {
    collection.append(name, `,${loopbackHosts}`);
  }
  return before !== undefined && before !== String(port);
}

/** ENABLE_IDE_INTEGRATION has no effect on the CLIs that we have seen; older ones are said to need it. */
export function connectionEnvironment(port: number): Record<string, string> {
  return { CLAUDE_CODE_SSE_PORT: String(port), ENABLE_IDE_INTEGRATION: 'true' };
}
