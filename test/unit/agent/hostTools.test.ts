import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { type HostTool, HostTools } from '../../../src/agent/hostTools.ts';
import { Deferred } from '../../../src/base/deferred.ts';
import type { ToolResult } from '../../../src/protocol/mcp.ts';
import { until } from '../../support/until.ts';

/** The official client, which checks each answer by its own schemas, as if it were the CLI. */
async function clientOf(server: HostTools, signal = new AbortController().signal): Promise<Client> {
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: async (message) => {
      const answer = await server.handle(message, signal);
      if ('id' in message && 'method' in message) transport.onmessage?.(answer as JSONRPCMessage);
    },
  };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

describe('Tools of the editor for an agent', () => {
  let aborted: boolean;
  let tools: HostTool[];

  const tool = (name: string): HostTool => ({
    name,
    description: `Does ${name}`,
    inputSchema: { type: 'object', properties: { who: { type: 'string' } } },
    call: ({ who }, signal) => {
      if (who === 'nobody') return Promise.reject(new Error('nobody is there'));
      if (who !== 'slow')
        return Promise.resolve({ content: [{ type: 'text', text: `${name} ${String(who)}` }] });
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('cancelled'));
        }),
      );
    },
  });

  beforeEach(() => {
    aborted = false;
    tools = [tool('hello')];
  });

  it('are offered and called, also those that came later', async () => {
    const client = await clientOf(new HostTools(() => tools));
    const { tools: listed } = await client.listTools();
    assert.deepEqual(
      listed.map(({ name, description }) => [name, description]),
      [['hello', 'Does hello']],
    );
    tools = [...tools, tool('later')];
    const { content } = await client.callTool({ name: 'later', arguments: { who: 'you' } });
    assert.deepEqual(content, [{ type: 'text', text: 'later you' }]);
  });

  it('have names that the model can use, each its own', async () => {
    tools = ['a b', 'a.b', 'a/b', 'ü'.repeat(50), 'x'.repeat(50), `${'x'.repeat(50)}y`, ''].map(tool);
    const client = await clientOf(new HostTools(() => tools));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(names.slice(0, 3), ['a_b', 'a_b_2', 'a_b_3']);
    assert.equal(new Set(names).size, tools.length);
    assert.ok(names.every((name) => /^[\w-]{1,40}$/.test(name)));
    const answers = await Promise.all(names.map((name) => client.callTool({ name, arguments: { who: '' } })));
    assert.deepEqual(
      answers.map(({ content }) => (content as { text: string }[])[0]?.text),
      tools.map(({ name }) => `${name} `),
    );
  });

  it('tell the model what goes wrong', async () => {
    const client = await clientOf(new HostTools(() => tools));
    const failed = await client.callTool({ name: 'hello', arguments: { who: 'nobody' } });
    assert.equal(failed.isError, true);
    assert.deepEqual(failed.content, [{ type: 'text', text: 'hello failed: nobody is there' }]);
    await assert.rejects(client.callTool({ name: 'other' }), /no tool "other"/);
    const server = new HostTools(() => tools);
    const { signal } = new AbortController();
    assert.match(JSON.stringify(await server.handle({ id: 1 }, signal)), /-32600/);
    assert.match(
      JSON.stringify(await server.handle({ jsonrpc: '2.0', id: 1, method: 'prompts/list' }, signal)),
      /-32601/,
    );
  });

  it('are cancelled', async () => {
    const client = await clientOf(new HostTools(() => tools));
    const cancel = new AbortController();
    const call = client.callTool({ name: 'hello', arguments: { who: 'slow' } }, undefined, {
      signal: cancel.signal,
    });
    cancel.abort('enough');
    await assert.rejects(call);
    await until('it is told', () => aborted);
  });

  it('are cancelled when who has called them is gone', async () => {
    const gone = new AbortController();
    const client = await clientOf(new HostTools(() => tools), gone.signal);
    const call = client.callTool({ name: 'hello', arguments: { who: 'slow' } });
    gone.abort();
    await call;
    assert.ok(aborted);
  });

  it('are cancelled where one that does not heed it had the same id in the process before', async () => {
    const signals: AbortSignal[] = [];
    const answered = new Deferred<ToolResult>();
    const server = new HostTools(() => [
      {
        name: 'deaf',
        description: 'Deaf',
        call: (_input, signal) => {
          signals.push(signal);
          return answered.promise;
        },
      },
      ...tools,
    ]);
    const call = (name: string, args: object) =>
      server.handle(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
        new AbortController().signal,
      );
    const before = call('deaf', {});
    const now = call('hello', { who: 'slow' });
    answered.settle({ content: [] });
    await before;
    await server.handle(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      new AbortController().signal,
    );
    await now;
    assert.ok(aborted);
  });
});
