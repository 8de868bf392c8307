import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SdkTransport } from '../../support/sdkTransport.ts';
import { currentLock } from '../bridge.ts';

export interface Answer<Data> {
  text: string;
  isError: boolean;
  /** Once the tools were listed the SDK's client has checked it against the schema of the tool. */
  data: Data | undefined;
}

/** A client of the editor tools, which knows them. */
export async function connectTools(name?: string): Promise<Client> {
  const client = await connectUnlisted(name);
  await client.listTools();
  return client;
}

/** One that has not asked for them yet. */
export async function connectUnlisted(name = 'sdk'): Promise<Client> {
  const { port, authToken } = await currentLock();
  const client = new Client({ name, version: '1.0.0' });
  await client.connect(new SdkTransport(port, authToken, '/editor'));
  return client;
}

export async function callTool<Data = Record<string, unknown>>(
  client: Client,
  name: string,
  args: object = {},
  signal?: AbortSignal,
): Promise<Answer<Data>> {
  const asked = { name, arguments: { ...args } };
  const result = await client.callTool(asked, undefined, signal ? { signal } : {});
  const [block] = result.content as { text: string }[];
  return {
    text: block?.text ?? '',
    isError: result.isError === true,
    data: result.structuredContent as Data | undefined,
  };
}
