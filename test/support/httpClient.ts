import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Lock } from './ideClient.ts';

/** The official client over HTTP, with the token as MCP clients are used to send one. */
export async function connectOverHttp(
  { port, authToken }: Lock,
  path: string,
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: 'sdk', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}${path}`), {
    requestInit: { headers: { Authorization: `Bearer ${authToken}` } },
  });
  await client.connect(transport);
  return { client, transport };
}

/** What opens a session, for requests that are made by hand. */
export const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});
